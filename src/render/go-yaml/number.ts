/**
 * A float64 as Crossplane's CLI prints it. It becomes JSON first, which go-yaml reads and writes again: whole numbers that
 * fit 64 bits as integers, all others in Go's shortest form, with an exponent where it is below -4 or above 5.
 *
 * Source: encoding/json floatEncoder; strconv.FormatFloat with format 'g' and precision -1.
 */
export function formatNumber(value: number): string {
  if (Number.isInteger(value) && value > -(2 ** 63) && value < 2 ** 64) return String(value);

  const [digits = "", exponent = ""] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
