/** The box around the picture's content, which a browser measures. */
const BOX = { x: 0, y: 0, width: 100, height: 50 };

/** Makes an element of its tag, with those properties of a browser's elements that the page's script uses. */
function toElement(tag: string, text: string, content: string) {
  const pairs = [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value] as const);
  const attributes = new Map<string, string>(pairs);
  const classes = attributes.get("class")?.split(" ") ?? [];
  const data = pairs.flatMap(([name, value]) => (name.startsWith("data-") ? [[name.slice(5), value]] : []));
  return Object.assign(new EventTarget(), {
    tag,
    attributes,
    content,
    hidden: false,
    value: "",
    checked: false,
    style: { display: "" },
    textContent: content.replaceAll(/<[^>]*>/g, ""),
    classList: { contains: (name: string) => classes.includes(name) },
    dataset: Object.fromEntries(data) as Readonly<Record<string, string>>,
    setAttribute: (name: string, value: unknown) => attributes.set(name, String(value)),
    getBBox: () => BOX,
  });
}

/**
 * Makes what the script of `registry graph`'s page sees of a browser's document, from the page's own tags. It is a stand-in: what a
 * browser does with the page beside it, such as styles, is not tested.
 */
export function openPage(page: string) {
  const html = page.replace(/<thead>.*<\/thead>/, "");
  const tags = html.matchAll(/<(select|input|output|svg|g|tr)\b([^>]*)>/g);
  const elements = [...tags].map(({ 0: open, 1: tag = "", 2: text = "", index }) => {
    const [content = ""] = html.slice(index + open.length).split(`</${tag}>`, 1);
    return toElement(tag, text, content);
  });
  const querySelectorAll = (selector: string) =>
    elements.filter(
      ({ tag, classList }) => classList.contains(selector.slice(1)) || tag === selector.split(" ").at(-1),
    );
  return {
    querySelectorAll,
    querySelector: (selector: string) => querySelectorAll(selector)[0] ?? null,
    getElementById: (id: string) => elements.find(({ attributes }) => attributes.get("id") === id) ?? null,
  };
}
