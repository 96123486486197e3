import type { Server } from "@grpc/grpc-js";
import { HealthImplementation, type ServingStatus } from "grpc-health-check";
import { serviceNames } from "./services.ts";

/** Answers grpc.health.v1 for the server as a whole, whose name is empty, and for each service. */
export interface Health {
  set(status: ServingStatus): void;
}

/** NOT_SERVING until told otherwise. */
export function addHealth(server: Server): Health {
  const names = ["", ...serviceNames];
  const implementation = new HealthImplementation(Object.fromEntries(names.map((name) => [name, "NOT_SERVING"])));
  implementation.addToServer(server);
  return {
    set: (status) => {
      for (const name of names) implementation.setStatus(name, status);
    },
  };
}
