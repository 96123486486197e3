import type { Server } from "@grpc/grpc-js";
import type { Log } from "../log.ts";
import type { ServingStatus } from "./health-and-reflection.ts";

/** Health and reflection. Few clients use them and they take long to load, so they are loaded on the first request. */
export interface SideServices {
  /** Loads them if the path is one of theirs and they are not loaded yet. */
  readonly load: (path: string) => Promise<void> | undefined;
  /** Sets the health that is reported from now on. */
  readonly setHealth: (health: ServingStatus) => void;
}

const PATHS = /^\/grpc\.(?:health|reflection)\./;

/** Creates both, with health NOT_SERVING. */
export function createSideServices(server: Server, log: Log): SideServices {
  let health: ServingStatus = "NOT_SERVING";
  let setLoadedHealth: ((health: ServingStatus) => void) | undefined;
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    try {
      const { addSideServices } = await import("./health-and-reflection.ts");
      setLoadedHealth = addSideServices(server, health);
    } catch (error) {
      log.error("cannot load health and reflection", { reason: String(error) });
      throw error;
    }
  };
  return {
    load: (path) => {
      if (setLoadedHealth !== undefined || !PATHS.test(path)) return undefined;
      loading ??= load();
      return loading;
    },
    setHealth: (changed) => {
      health = changed;
      setLoadedHealth?.(changed);
    },
  };
}
