/** A server that can listen, such as one of Fastify. */
interface Listener {
  listen(options: { host: string; port: number; reusePort: boolean }): Promise<string>
}

/** What to do about an error of the system, by its code. */
const cures: Readonly<Record<string, (host: string, port: number, portVariable: string) => string>> = {
  EADDRINUSE: (host, port, portVariable) =>
    `Another program uses port ${port} on ${host}. Stop it, or set ${portVariable} to another port.`,
  EACCES: (host, port, portVariable) =>
    `This user may not listen on port ${port} of ${host}. Set ${portVariable} to a port from 1024 on.`,
  EADDRNOTAVAIL: (host, _port, portVariable) =>
    `This machine does not have the address ${host}. Correct ${hostVariableOf(portVariable)}.`,
  ENOTFOUND: (host, _port, portVariable) => `The name ${host} has no address. Correct ${hostVariableOf(portVariable)}.`
}

const hostVariableOf = (portVariable: string): string => portVariable.replace(/PORT$/, 'HOST')

/**
 * Lets a server listen.
 *
 * @param portVariable the variable that sets the port, for the error. The variable of the host ends in `HOST` instead
 * @param reusePort whether other processes may listen on the port, too
 * @returns the server's address, such as `http://127.0.0.1:8080`
 * @throws Error that names the variable if the server cannot listen there
 */
export async function listen(
  server: Listener,
  {
    host,
    port,
    portVariable,
    reusePort = false
  }: { host: string; port: number; portVariable: string; reusePort?: boolean }
): Promise<string> {
  try {
    return await server.listen({ host, port, reusePort })
  } catch (cause) {
    const cure = cures[(cause as NodeJS.ErrnoException).code ?? '']
    if (cure === undefined) throw cause
    throw new Error(cure(host, port, portVariable), { cause })
  }
}

/** Limits of a server against clients that send slowly or keep connections open. Times are milliseconds. */
export interface ConnectionLimits {
  /** Open connections; the server closes further ones at once. For `maxConnections` of Node's server. */
  readonly maxConnections: number
  /** How long the head of a request may take. A new connection without a request counts, too. */
  readonly headersTimeoutMs: number
  /** How long a whole request may take to arrive. Its answer may take longer. */
  readonly requestTimeoutMs: number
}

/** The options of Fastify that limit the arrival of requests. */
export const arrivalTimeouts = ({ headersTimeoutMs, requestTimeoutMs }: Omit<ConnectionLimits, 'maxConnections'>) => ({
  requestTimeout: requestTimeoutMs,
  http: {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: Math.min(headersTimeoutMs, requestTimeoutMs, 20_000) / 4
  }
})
