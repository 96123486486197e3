import type { Server } from "@grpc/grpc-js";
import type { Log } from "../log.ts";
import type { ServingStatus } from "./health-and-reflection.ts";

/** Health and reflection, which few clients ask for, and which take long to load: that is done for the first who asks. */
export interface SideServices {
  /** Loads them if a path is one of theirs and they are not there yet. */
  readonly load: (path: string) => Promise<void> | undefined;
  /** Tells what Health answers from now on. */
  readonly setHealth: (health: ServingStatus) => void;
}

const THEIRS = /^\/grpc\.(?:health|reflection)\./;

/** NOT_SERVING until told otherwise. */
export function createSideServices(server: Server, log: Log): SideServices {
  let health: ServingStatus = "NOT_SERVING";
  let tell: ((health: ServingStatus) => void) | undefined;
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    try {
      const { addSideServices } = await import("./health-and-reflection.ts");
      tell = addSideServices(server, health);
    } catch (error) {
      log.error("cannot load health and reflection", { reason: String(error) });
      throw error;
    }
  };
  return {
    load: (path) => {
      if (tell !== undefined || !THEIRS.test(path)) return undefined;
      loading ??= load();
      return loading;
    },
    setHealth: (changed) => {
      health = changed;
      tell?.(changed);
    },
  };
}
