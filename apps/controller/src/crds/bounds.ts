// What the status schemas allow: an API server would refuse the whole status for one long sentence of a CA.
const maxSentence = 4096;
const maxWord = 253;
const maxServers = 64;

const sentences = ['message', 'summary', 'detail', 'error', 'reason'];

/** The status with long sentences and lists of servers cut. Nothing that anybody acts on is. */
export function withinBounds(status: object): object {
  return Object.fromEntries(Object.entries(status).map(([key, value]) => [key, bounded(key, value)]));
}

function bounded(key: string, value: unknown): unknown {
  if (key === 'config') return value;
  if (typeof value === 'string') {
    if (key === 'errorType') return cut(value, maxWord);
    return sentences.includes(key) ? cut(value, maxSentence) : value;
  }
  if (Array.isArray(value)) {
    const kept = key === 'servers' ? value.slice(0, maxServers) : value;
    return kept.map((element: unknown) => (isObject(element) ? withinBounds(element) : element));
  }
  return isObject(value) ? withinBounds(value) : value;
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 3).replace(/[\uD800-\uDBFF]$/, '')}...`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
