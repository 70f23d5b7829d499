export type { RoutednsConfig } from './config.ts';
export { routedns as default, routedns } from './plugin.ts';
