import { createRandom, describeReal, type Faults, type Random } from '@zoneproof/farm';
import { type RunningController, serviceAccount, startKubernetesController } from './kubernetes-controller.ts';
import { SecretTexts } from './kubernetes-secrets.ts';
import { names, Team } from './kubernetes-team.ts';
import { type KubernetesWorld, startKubernetesWorld } from './kubernetes-world.ts';
import { untilNone } from './until-none.ts';

const seconds = Number(process.env.ZONEPROOF_SOAK_SECONDS ?? 30);
const seed = Number(process.env.ZONEPROOF_SOAK_SEED ?? 1);
const teamNames = ['north', 'east', 'south', 'west'];
const zones = teamNames.map((name) => `${name}.test`);
type Acts = Readonly<Record<string, (team: Team) => Promise<unknown>>>;
const longestPauseMs = 1_000;

describeReal(['kubernetes', 'bind', 'pebble'], 'bad days of a cluster, one after the other and at once', () => {
  let world: KubernetesWorld;
  let faults: Faults;
  let kubeconfig: string;
  const controllers: RunningController[] = [];
  const secrets = new SecretTexts();

  async function restart(): Promise<void> {
    expect((await controllers.at(-1)?.stop()) ?? 0).toBe(0);
    controllers.push(await startKubernetesController(world, kubeconfig, zones));
  }

  beforeAll(async () => {
    world = await startKubernetesWorld(zones);
    faults = await world.cluster.faults();
    kubeconfig = await faults.kubeconfigFor(serviceAccount);
    await restart();
  }, 180_000);

  afterAll(async () => {
    await controllers.at(-1)?.stop();
    await world?.stop();
  }, 30_000);

  test(
    `${seconds} s with seed ${seed}: in the end all is as declared, and nothing is left over`,
    async () => {
      const random = createRandom(seed);
      const teams = teamNames.map((name) => new Team(world, name));
      for (const team of teams) await team.apply();
      const [ofTeams, ofCluster] = [Object.entries(actsOfTeams(random)), Object.entries(actsOfCluster(random))];
      const done: string[] = [];
      for (const end = performance.now() + seconds * 1_000; performance.now() < end; ) {
        const acts = random(4) === 0 ? ofCluster : ofTeams;
        const [title, act] = acts[random(acts.length)] as (typeof ofTeams)[number];
        const team = teams[random(teams.length)] as Team;
        done.push(`${title} (${team.name})`);
        await secrets.note(world);
        await act(team);
        await pause(random(longestPauseMs));
      }
      faults.stallWatches(false);
      for (const team of teams) team.follow();
      // With their credentials, so that what waits for them can go.
      for (const team of teams) await team.apply();
      await untilNone('what is deleted goes', async () =>
        [...(await world.list('issuers')), ...(await world.list('orders'))]
          .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
          .map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`),
      );
      // Other names than any before: an Order that failed is not tried again for minutes.
      for (const team of teams) await team.apply((name) => [`last-${name}.${team.name}.test`]);
      const problems = await Promise.allSettled(teams.map((team) => team.allWell(90_000)));
      for (const problem of problems)
        if (problem.status === 'rejected') throw new Error(`${problem.reason.message}\nafter: ${done.join(', ')}`);
      console.log(`seed ${seed}: ${done.length} bad days in ${seconds} s: ${done.join(', ')}`);

      await secrets.note(world);
      expect(await secrets.told(world, controllers)).toEqual([]);
      expect(await controllers.at(-1)?.stop()).toBe(0);
      await Promise.all(teams.map((team) => team.nothingLeft()));
      const lines = controllers.flatMap((controller) => controller.lines());
      expect(lines.filter(({ reason }) => ['InternalError', 'CleanUpAbandoned', 'LeaseLost'].includes(reason))).toEqual(
        [],
      );
      const made = lines.filter(
        ({ reason, message }) => reason === 'AccountRegistered' && message.endsWith('was made.'),
      );
      expect(made.map(({ namespace }) => namespace).sort()).toEqual([...teamNames].sort());
    },
    (seconds + 240) * 1_000,
  );

  function actsOfTeams(random: Random): Acts {
    const one = () => names[random(names.length)] as string;
    const remove = (team: Team, ...what: readonly string[]) =>
      team.kubectl('delete', ...what, '--wait=false', '--ignore-not-found');
    let edits = 0;
    return {
      'the second name server lags': async (team: Team) => world.lag(`${team.name}.test`, true),
      'the second name server follows': async (team: Team) => team.follow(),
      'Certificates edited': (team: Team) => {
        const edit = ++edits;
        return team.apply((name) => [
          `edit-${edit}-${name}.${team.name}.test`,
          `*.edit-${edit}-${name}.${team.name}.test`,
        ]);
      },
      'a certificate deleted': (team: Team) => remove(team, 'secret', `${one()}-tls`),
      'a certificate damaged': async (team: Team) => {
        const entry = ['tls.key', 'tls.crt', 'ca.crt'][random(3)] as string;
        const damage = JSON.stringify({ stringData: { [entry]: 'damaged' } });
        // It may not be there yet.
        await team.kubectl('patch', 'secret', `${one()}-tls`, '--type=merge', '-p', damage).catch(() => undefined);
      },
      'Orders deleted': (team: Team) => remove(team, 'orders', '--all'),
      'Certificate deleted': (team: Team) => remove(team, 'certificate', one()),
      'Certificates made again': async (team) => {
        await remove(team, 'certificates', '--all');
        await team.apply();
      },
      'Issuer deleted': (team: Team) => remove(team, 'issuer', 'pebble'),
      'credentials deleted': (team: Team) => remove(team, 'secret', 'tsig'),
      'all applied': (team: Team) => team.apply(),
    };
  }

  function actsOfCluster(random: Random): Acts {
    // The lease is another matter.
    const match = ({ path, method }: { readonly path: string; readonly method: string }) =>
      method !== 'GET' && !path.includes('/leases');
    const some = () => 1 + random(12);
    return {
      conflicts: async () =>
        faults.failNext(some(), { status: 409, match: (one) => match(one) && one.method === 'PUT' }),
      'too many requests': async () => faults.failNext(some(), { status: 429, retryAfterSeconds: 1, match }),
      errors: async () => faults.failNext(some(), { status: random(2) === 0 ? 500 : 503, match }),
      'answers lost': async () => faults.loseAnswers(some(), match),
      'watches cut': async () => faults.cutWatches(),
      'watches stalled': async () => {
        faults.stallWatches(true);
        await pause(random(2 * longestPauseMs));
        faults.stallWatches(false);
      },
      'API server restarted': async () => {
        await world.cluster.stopApiServer();
        await pause(random(longestPauseMs));
        await world.cluster.startApiServer();
        await world.cluster.compactEtcd();
      },
      'controller restarted': restart,
    };
  }
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
