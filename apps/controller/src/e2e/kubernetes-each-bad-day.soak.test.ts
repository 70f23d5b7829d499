import { describeReal, type Faults, type ProxiedRequest, type RequestMatch } from '@zoneproof/farm';
import { type RunningController, serviceAccount, startKubernetesController } from './kubernetes-controller.ts';
import { issuer, namespace } from './kubernetes-objects.ts';
import { SecretTexts } from './kubernetes-secrets.ts';
import { names, Team } from './kubernetes-team.ts';
import { type KubernetesWorld, startKubernetesWorld } from './kubernetes-world.ts';
import { untilNone } from './until-none.ts';

let world: KubernetesWorld;
let faults: Faults;
let controller: RunningController;
const secrets = new SecretTexts();

/** What happens in one namespace, beside all others. */
const days: Readonly<Record<string, (team: Team) => Promise<void>>> = {
  'every second status is refused as a conflict': async (team) => {
    const those = everySecond(team, ({ method }) => method === 'PUT');
    faults.failNext(100, { status: 409, match: those.match });
    await team.apply();
    await team.allWell();
    expect(those.count()).toBeGreaterThan(5);
  },

  'requests are refused with 429, 500 and 503': async (team) => {
    const [tooMany, broken, away] = [everySecond(team), everySecond(team), everySecond(team)];
    faults.failNext(15, { status: 429, retryAfterSeconds: 1, match: tooMany.match });
    faults.failNext(15, { status: 500, match: broken.match });
    faults.failNext(15, { status: 503, match: away.match });
    await team.apply();
    await team.allWell();
    for (const those of [tooMany, broken, away]) expect(those.count()).toBeGreaterThan(5);
  },

  'the answer to every second write is lost': async (team) => {
    const those = everySecond(team, ({ method }) => method !== 'GET');
    faults.loseAnswers(100, those.match);
    await team.apply();
    await team.allWell();
    expect(those.count()).toBeGreaterThan(10);
  },

  'Secrets of certificates are deleted': async (team) => {
    await team.apply();
    await team.allWell();
    await secrets.note(world);
    const before = await team.serials();
    await team.kubectl('delete', 'secret', ...names.map((name) => `${name}-tls`));
    await untilNone('other certificates', async () => same(before, await team.serials()));
    await team.allWell();
  },

  'Secrets of certificates are damaged': async (team) => {
    await team.apply();
    await team.allWell();
    await secrets.note(world);
    const before = await team.serials();
    const damage = (entry: string) => JSON.stringify({ stringData: { [entry]: 'damaged' } });
    await team.kubectl('patch', 'secret', 'a-tls', '--type=merge', '-p', damage('tls.key'));
    await team.kubectl('patch', 'secret', 'b-tls', '--type=merge', '-p', damage('ca.crt'));
    await untilNone('another certificate', async () => same(before.slice(0, 1), await team.serials()));
    await untilNone('the right ca.crt', async () => {
      const secret = (await team.list('secrets')).find(({ metadata }) => metadata.name === 'b-tls');
      const held = Buffer.from(secret?.data?.['ca.crt'] ?? '', 'base64').toString();
      return held.includes('BEGIN CERTIFICATE') ? [] : [held];
    });
    await team.allWell();
    expect((await team.serials()).slice(1)).toEqual(before.slice(1));
  },

  'the Issuer is deleted while Orders run': async (team) => {
    await team.beginOrders();
    await team.kubectl('delete', 'issuer', 'pebble', '--timeout=20s');
    await untilNone('Certificates miss their Issuer', async () =>
      (await team.list('certificates'))
        .flatMap(({ status }) => status?.conditions ?? [])
        .filter(({ reason }) => reason !== 'IssuerNotFound')
        .map(({ reason, message }) => `${reason}: ${message}`),
    );
    await team.nothingLeft();
    team.follow();
    await team.apply();
    await team.allWell();
  },

  'the credentials are deleted while Orders run': async (team) => {
    await team.beginOrders();
    await secrets.note(world);
    await team.kubectl('delete', 'secret', 'tsig');
    team.follow();
    // The values are there already, and are removed with what they were written with.
    await team.allWell();
    await untilNone('the Issuer misses them', () => providersOf(team, 'CredentialsRefused'));
    await team.apply();
    await untilNone('the Issuer has them', () => providersOf(team, 'ProviderReady'));
  },

  'Certificates are edited while their Orders run': async (team) => {
    await team.beginOrders();
    await team.apply((name) => [`other-${name}.${team.name}.test`]);
    team.follow();
    await team.allWell();
  },

  'Orders are deleted by hand': async (team) => {
    await team.beginOrders();
    await team.kubectl('delete', 'orders', '--all', '--timeout=20s');
    team.follow();
    await team.allWell();
  },

  'Certificates are deleted while their Orders run': async (team) => {
    await team.beginOrders();
    await team.kubectl('delete', 'certificates', '--all', '--timeout=20s');
    await team.nothingLeft();
    await untilNone('no Order', async () => (await team.list('orders')).map(({ metadata }) => metadata.name));
  },

  'Certificates are deleted and made again at once': async (team) => {
    await team.apply();
    await team.allWell();
    await team.kubectl('delete', 'certificates', '--all', '--wait=false');
    await team.apply();
    await untilNone('each Secret belongs to the new Certificate', async () => {
      const [certificates, owned] = [await team.list('certificates'), await team.list('secrets')];
      const owners = owned.flatMap(({ metadata }) => metadata.ownerReferences ?? []).map(({ uid }) => uid);
      return certificates.filter(({ metadata }) => !owners.includes(metadata.uid)).map(({ metadata }) => metadata.name);
    });
    await team.allWell();
  },

  'the namespace is deleted while Orders run, its credentials first': async (team) => {
    await team.beginOrders();
    await secrets.note(world);
    await team.kubectl('delete', 'secret', 'tsig');
    await world.kubectl(['delete', 'namespace', team.name, '--timeout=40s']);
    await team.nothingLeft();
  },
};

const titles = Object.keys(days);
const ofAll = ['restarted', 'watches', 'census'] as const;
const zones = [...titles.map((_, index) => `day-${index}`), ...ofAll].map((team) => `${team}.test`);

describeReal(['kubernetes', 'bind', 'pebble'], 'bad days of a cluster', () => {
  const begun = new Map<string, Promise<void>>();
  const teams: Team[] = [];
  const newTeam = (name: string): Team => {
    const team = new Team(world, name);
    teams.push(team);
    return team;
  };

  beforeAll(async () => {
    world = await startKubernetesWorld(zones);
    faults = await world.cluster.faults();
    controller = await startKubernetesController(world, await faults.kubeconfigFor(serviceAccount), zones);
    for (const [index, title] of titles.entries()) {
      const team = newTeam(`day-${index}`);
      const day = days[title]?.(team).catch((error: Error) => {
        const told = controller.lines().filter((line) => line.namespace === team.name);
        throw new Error(`${error.message}\n${told.map(({ reason, message }) => `${reason}: ${message}`).join('\n')}`);
      });
      day?.catch(() => undefined);
      begun.set(title, day as Promise<void>);
    }
  }, 180_000);

  afterAll(async () => {
    await controller?.stop();
    await world?.stop();
  }, 30_000);

  describe('in one namespace, beside the others', () => {
    test.each(titles)('%s: nothing is lost, stuck or left over', (title) => begun.get(title), 90_000);
  });

  test('the API server is restarted while Orders run, and etcd is compacted', async () => {
    const team = newTeam('restarted');
    await team.beginOrders();
    await world.cluster.stopApiServer();
    team.follow();
    await world.cluster.startApiServer();
    await world.cluster.compactEtcd();
    await world.cluster.compactEtcd();
    await team.allWell();
  }, 90_000);

  test('watches stand still and break while Orders run', async () => {
    const team = newTeam('watches');
    await team.beginOrders();
    faults.stallWatches(true);
    team.follow();
    await team.allWell();
    await team.apply((name) => [`other-${name}.watches.test`]);
    faults.cutWatches();
    faults.stallWatches(false);
    await untilNone('the edit is seen', async () =>
      (await team.list('orders'))
        .filter(({ spec }) => !spec.dnsNames?.[0]?.startsWith('other-'))
        .map(({ metadata }) => metadata.name),
    );
    faults.cutWatches();
    await team.allWell();
  }, 90_000);

  test('afterwards: one account for each Issuer at the CA', async () => {
    await world.apply([namespace('census'), ...issuer(world.real, { namespace: 'census' })]);
    await world.kubectl(['wait', '--for=condition=Ready', 'issuer/pebble', '-n', 'census', '--timeout=20s']);
    const [, accounts] = /[\s\S]*There are now (\d+) accounts in memory/.exec(world.real.ca.log()) ?? [];
    expect(accounts).toBe(String(zones.length));
  });

  test('afterwards: no secret stands in log, metrics, Events or objects', async () => {
    await secrets.note(world);
    expect(await secrets.told(world, [controller])).toEqual([]);
    expect(controller.lines().filter(({ level, reason }) => level === 'error' && reason === 'InternalError')).toEqual(
      [],
    );
  });

  test('afterwards: it stops, and nothing is left of any Order, in any zone', async () => {
    expect(await controller.stop()).toBe(0);
    await Promise.all(teams.map((team) => team.nothingLeft()));
  }, 60_000);
});

/** Every second of the requests (that match) in the namespace of a team, and how many those were. */
function everySecond({ name }: Team, match: RequestMatch = () => true) {
  let seen = 0;
  const isOurs = (request: ProxiedRequest) => request.path.includes(`/namespaces/${name}/`) && match(request);
  return { match: (request: ProxiedRequest) => isOurs(request) && seen++ % 2 === 0, count: () => Math.ceil(seen / 2) };
}

/** The providers of its Issuer that say anything else. */
async function providersOf(team: Team, reason: string): Promise<readonly string[]> {
  const providers = (await team.list('issuers')).flatMap(({ status }) => status?.providers ?? []);
  return providers.filter((one) => one.reason !== reason).map(({ message }) => message);
}

/** Those that are still what they were. */
function same(before: readonly (string | undefined)[], after: readonly (string | undefined)[]): readonly string[] {
  return before.flatMap((serial, index) =>
    after[index] === serial || after[index] === undefined ? [`${names[index]}: ${serial}`] : [],
  );
}
