export {
  connectKubeApi,
  type EndedRequest,
  type KubeApi,
  type KubeApiOptions,
  type KubeRequest,
  type KubeWatch,
} from './api.ts';
export { isKubeApiError, KubeApiError } from './api-error.ts';
export { KubeConfigError } from './kube-config.ts';
export { KubernetesStore, type KubernetesStoreOptions } from './kubernetes-store.ts';
