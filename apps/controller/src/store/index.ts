export { type ControlAnswer, type ControlRequest, requestControl } from './control-socket.ts';
export { FileStore, type FileStoreOptions, readState } from './file-store.ts';
export type { OnWrite, StoreWrite } from './observe-writes.ts';
export { secretData } from './secret-data.ts';
export { StateDirError } from './state-format.ts';
export {
  ConflictError,
  ForeignSecretError,
  type NewMeta,
  news,
  SecretUnreadableError,
  type StatusUpdate,
  type Store,
  type WithStatus,
} from './store.ts';
