import { stepOf } from "../features.ts";
import { requestOf, smallRequest } from "../requests.ts";
import { functionProgram, type Program, serverProgram } from "../rig/implementations.ts";
import { digits, type Section, type Target } from "../rig/report.ts";
import { call, freeAddress, startServer } from "../rig/server.ts";
import { summarise } from "../rig/statistics.ts";

/** Resident memory after many calls: the function as it is started in its image, and the Go function. */

const CALLS = 100_000;
/** The number of times that memory is read, the first after a tenth of the calls. */
const LOOKS = 10;
const LARGE_CALLS = 500;

interface Figure {
  readonly who: string;
  /** In MB: before any call, and after each tenth of the small ones. */
  readonly resident: readonly number[];
  /** In MB, after calls of 660 KB. */
  readonly afterLarge: number;
}

export async function memory(): Promise<Section> {
  const figures: Figure[] = [];
  for (const who of ["ours", "go"] as const) {
    const address = await freeAddress();
    const isOurs = who === "ours";
    const small = isOurs ? stepOf({ spec: {}, resources: 1 }) : smallRequest();
    const large = isOurs ? stepOf({ spec: {}, resources: 100 }) : requestOf(100);
    figures.push(
      await measure(
        who,
        isOurs ? functionProgram(address, ["--max-recv-message-size=8"]) : serverProgram("go", "touch few", address),
        address,
        small,
        large,
      ),
    );
  }
  return {
    title: "Resident memory",
    tables: [
      {
        caption: `MB, after a share of ${CALLS.toLocaleString("en")} small calls at concurrency 8, then after ${LARGE_CALLS} calls of 660 KB`,
        head: ["", "before", ...Array.from({ length: LOOKS }, (_, index) => `${(index + 1) * LOOKS} %`), "660 KB"],
        rows: figures.map(({ who, resident, afterLarge }) => [who, ...resident.map(digits), digits(afterLarge)]),
      },
    ],
    targets: targetsOf(figures),
    figures,
  };
}

async function measure(
  who: string,
  { command, args }: Program,
  address: string,
  small: Buffer,
  large: Buffer,
): Promise<Figure> {
  const served = startServer(command, args, address);
  await call(address, small, { warm: "0s", calls: 1 });
  const megabytes = (): number => served.residentBytes() / 1024 ** 2;
  const resident = [megabytes()];
  for (let look = 0; look < LOOKS; look++) {
    await call(address, small, { concurrency: 8, warm: "0s", calls: CALLS / LOOKS });
    resident.push(megabytes());
  }
  await call(address, large, { concurrency: 8, warm: "0s", calls: LARGE_CALLS });
  const afterLarge = megabytes();
  await served.stop();
  return { who, resident, afterLarge };
}

/** Two targets: the growth from the second to fourth tenth of the calls to the last three, and the memory after large calls. */
function targetsOf(figures: readonly Figure[]): readonly Target[] {
  const of = (wanted: string): Figure | undefined => figures.find(({ who }) => who === wanted);
  const looks = of("ours")?.resident.slice(2) ?? [];
  const [early, late] = [looks.slice(0, 3), looks.slice(-3)].map((part) => summarise(part).median) as [number, number];
  return [
    { what: "ours, last tenths of the small calls / second to fourth tenth", is: late / early, atMost: 1.1 },
    { what: "after 660 KB: ours / Go", is: (of("ours")?.afterLarge ?? 0) / (of("go")?.afterLarge ?? 1), atMost: 2 },
  ];
}
