import dgram from 'node:dgram';
import net from 'node:net';

/** Runs `work` and tells how often Node was asked to open a connection or to send a datagram meanwhile; none gets out. */
export async function countSockets(work: () => Promise<void>): Promise<number> {
  let opened = 0;
  const refuse = (): never => {
    opened++;
    throw new Error('the conformance suite refuses sockets in this step');
  };
  const tcp = net.Socket.prototype.connect;
  const { bind, send } = dgram.Socket.prototype;
  net.Socket.prototype.connect = refuse;
  dgram.Socket.prototype.bind = refuse;
  dgram.Socket.prototype.send = refuse;
  try {
    await work();
  } finally {
    net.Socket.prototype.connect = tcp;
    dgram.Socket.prototype.bind = bind;
    dgram.Socket.prototype.send = send;
  }
  return opened;
}
