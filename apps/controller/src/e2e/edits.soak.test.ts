import { describeReal } from '@zoneproof/farm';
import { type StoreCluster, startStoreCluster } from '../kubernetes/testing/store-cluster.ts';
import { describeEdits } from './edits.ts';
import { startInNamespace } from './in-namespace.ts';

describeReal(['kubernetes'], 'edits at a real API server', () => {
  let world: StoreCluster;
  beforeAll(async () => {
    world = await startStoreCluster();
  }, 120_000);
  afterAll(() => world.stop(), 30_000);

  describeEdits('edits of objects in a namespace', (options) => startInNamespace(world, options));
});
