const { port1: here, port2: there } = new MessageChannel();

/** Wait until messages that have arrived were received. A timer would wait for 4 ms more. */
export function nextTask() {
  return new Promise((done) => {
    here.onmessage = done;
    there.postMessage(null);
  });
}
