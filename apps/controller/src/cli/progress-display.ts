import type { Report } from '../reconcile/services.ts';
import type { Store } from '../store/index.ts';
import type { CommandContext } from './context.ts';
import { describeProgress, type Progress } from './output/progress.ts';
import { type ProcessReport, reportJson, reportText } from './output/report-line.ts';
import { createScreen } from './terminal/screen.ts';
import { span } from './terminal/time-text.ts';

/**
 * What a person or a log sees of a running controller. On a terminal: one live line a certificate, and above them the
 * reports that matter; elsewhere one line a report.
 */
export interface ProgressDisplay {
  report(report: Report | ProcessReport): void;
  /** Follows the certificates of this store. */
  follow(store: Store): void;
  close(): void;
}

const redrawMs = 100;
const tickMs = 1_000;

export function createProgressDisplay(context: CommandContext, format: 'text' | 'json'): ProgressDisplay {
  const { out, style } = context;
  if (format === 'json') return lines((report) => out.write(reportJson(report)));
  if (out.isTTY !== true) return lines((report) => out.write(reportText(report, style)));
  return liveDisplay(context);
}

function lines(write: (report: Report | ProcessReport) => void): ProgressDisplay {
  return { report: write, follow: () => undefined, close: () => undefined };
}

function liveDisplay({ out, style, clock }: CommandContext): ProgressDisplay {
  const screen = createScreen(out);
  let store: Store | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopWatching = (): void => undefined;
  const draw = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (store === undefined) return;
    const rows = certificateRows(store);
    const width = Math.max(0, ...rows.map(({ title }) => title.length));
    const marks = {
      ready: style.green('ok  '),
      working: '... ',
      waiting: style.yellow('wait'),
      failed: style.red('fail'),
    };
    screen.draw(
      rows.map(({ title, progress: { state, text, since } }) => {
        const waited = since === undefined || state === 'ready' ? '' : style.dim(`${span(clock.now() - since)}  `);
        return `${marks[state]} ${title.padEnd(width)}  ${waited}${text}`;
      }),
    );
  };
  const soon = (): void => {
    timer ??= setTimeout(draw, redrawMs);
  };
  // Times since when something is waited for move on although nothing changes.
  const tick = setInterval(draw, tickMs);
  return {
    report(report) {
      if (report.level !== 'info' || !('kind' in report)) screen.above(reportText(report, style));
    },
    follow(next) {
      store = next;
      stopWatching = next.watch(soon);
      draw();
    },
    close() {
      if (store === undefined) return clearInterval(tick);
      stopWatching();
      clearInterval(tick);
      draw();
      store = undefined;
      screen.close();
    },
  };
}

interface Row {
  readonly title: string;
  readonly progress: Progress;
}

const rank: Readonly<Record<Progress['state'], number>> = { failed: 0, waiting: 1, working: 2, ready: 3 };

/** Those that a person may want to look at first: a terminal has room for some only. */
function certificateRows(store: Store): readonly Row[] {
  const rows = store.list('Certificate').map((certificate): Row => {
    const { namespace, name } = certificate.metadata;
    const { order } = certificate.status;
    return {
      title: `${namespace}/${name}`,
      progress: describeProgress(certificate, order === undefined ? undefined : store.get('Order', namespace, order)),
    };
  });
  return rows.sort((a, b) => rank[a.progress.state] - rank[b.progress.state] || a.title.localeCompare(b.title));
}
