import fc from "fast-check";

/** Properties end after a quarter of a second without a fault: they are run for each of hundreds of mutants. */
fc.configureGlobal({ interruptAfterTimeLimit: 250 });
