import { compareTexts } from "../../src/model/collections.ts";
import { type ResourceKind, toFullName } from "./discovery.ts";
import { ClusterError } from "./error.ts";

/** A kind that could not be read, and why. */
interface UnreadKind {
  readonly kind: ResourceKind;
  readonly message: string;
}

/** Kinds with an own API server or conversion webhook that may be unavailable. If more are, the whole cluster is. */
const MAX_UNAVAILABLE = 3;

/** Collects the kinds that cannot be read, so that the others still are. */
export class Unread {
  readonly #found = new Map<string, UnreadKind>();
  #unavailable = 0;

  /**
   * @returns the answer, or `otherwise` where the kind cannot be read.
   * @throws {ClusterError} where no kind can be read.
   */
  async unless<T, Otherwise>(kind: ResourceKind, answer: Promise<T>, otherwise: Otherwise): Promise<T | Otherwise> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof ClusterError) || !this.#isOfThisKindOnly(error)) throw error;
      this.#found.set(error.message, { kind, message: error.message });
      return otherwise;
    }
  }

  /** Sorted by kind. */
  all(): readonly UnreadKind[] {
    return [...this.#found.values()].sort(
      (a, b) => compareTexts(toFullName(a.kind), toFullName(b.kind)) || compareTexts(a.message, b.message),
    );
  }

  /** NotFound: the kind was removed after discovery. */
  #isOfThisKindOnly({ code }: ClusterError): boolean {
    if (code === "Unavailable") this.#unavailable++;
    const isAway = code === "Unavailable" && this.#unavailable <= MAX_UNAVAILABLE;
    return isAway || ["Forbidden", "NotFound", "Refused"].includes(code);
  }
}
