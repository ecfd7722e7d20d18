/** Receives the messages of a port. @param receive called with each message */
export function onMessages<T>(port: MessagePort, receive: (message: T) => void): void {
  port.onmessage = ({ data }) => receive(data as T);
}
