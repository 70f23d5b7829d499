/**
 * The candidate that was probably meant: equal but for case and separators, or few typing errors away (an inserted,
 * lost, wrong or swapped character each; one in up to four characters, a third of them in longer words).
 */
export function nearestName(word: string, candidates: readonly string[]): string | undefined {
  const wanted = plain(word);
  let best: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const known = plain(candidate);
    const errors = typingErrors(wanted, known);
    const allowed = wanted.length <= 4 ? 1 : Math.ceil(Math.max(wanted.length, known.length) / 3);
    if (errors <= allowed && errors < fewest) {
      best = candidate;
      fewest = errors;
    }
  }
  return best;
}

function plain(word: string): string {
  return word
    .slice(0, 64)
    .toLowerCase()
    .replace(/[-_. ]/g, '');
}

/** Damerau-Levenshtein distance, optimal string alignment: no part is edited twice. */
function typingErrors(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const wrong = a[i - 1] === b[j - 1] ? 0 : 1;
      let errors = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + wrong);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        errors = Math.min(errors, beforeLast[j - 2]! + 1);
      row.push(errors);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
