/** An element of an XML document; attributes are not kept. */
export interface XmlElement {
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** The text directly inside, entities resolved. */
  readonly text: string;
}

const token = /<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<(\/?)([A-Za-z_][\w.-]*)((?:\s[^>]*?)?)(\/?)>|([^<]+)/y;

/** Reads what a client of the REST API sends. @throws Error when elements do not match */
export function parseXml(text: string): XmlElement {
  const root = new Open('');
  const path = [root];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const found = token.exec(text);
    if (found === null) throw new Error(`no XML at character ${at}`);
    const [, closes, name, , empty, content] = found;
    const here = path.at(-1) as Open;
    if (content !== undefined)
      here.text += content.replace(/&(#x?[0-9A-Fa-f]+|\w+);/g, (_all, entity) => decode(entity));
    else if (name === undefined) continue;
    else if (closes === '/') {
      if (path.pop()?.name !== name || path.length === 0) throw new Error(`</${name}> closes nothing`);
    } else {
      const child = new Open(name);
      here.children.push(child);
      if (empty !== '/') path.push(child);
    }
  }
  const [document, ...others] = root.children;
  if (path.length > 1 || document === undefined || others.length > 0) throw new Error('no whole document');
  return document;
}

export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

export function textOf(element: XmlElement | undefined, name: string): string | undefined {
  return childOf(element, name)?.text.trim();
}

/** `xml('Id', 'Z1')` -> `<Id>Z1</Id>`; a list holds elements that are XML already; undefined leaves the element out. */
export function xml(name: string, content: string | number | boolean | readonly string[] | undefined): string {
  if (content === undefined) return '';
  return `<${name}>${typeof content === 'object' ? content.join('') : escaped(String(content))}</${name}>`;
}

export function xmlDocument(name: string, namespace: string, content: readonly string[]): string {
  return `<?xml version="1.0"?>\n<${name} xmlns="${namespace}">${content.join('')}</${name}>`;
}

class Open implements XmlElement {
  readonly name: string;
  readonly children: Open[] = [];
  text = '';

  constructor(name: string) {
    this.name = name;
  }
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decode(entity: string): string {
  if (!entity.startsWith('#')) return entities[entity] ?? '';
  return String.fromCodePoint(entity[1] === 'x' ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1)));
}

function escaped(text: string): string {
  return text.replace(/[<>&"]/g, (char) => `&#x${char.charCodeAt(0).toString(16)};`);
}
