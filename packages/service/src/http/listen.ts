/** A server that can listen, such as one of Fastify. */
interface Listener {
  listen(options: { host: string; port: number; reusePort: boolean }): Promise<string>
}

/**
 * Lets a server listen.
 *
 * @param portVariable the variable that sets the port, for the error
 * @param reusePort whether other processes may listen on the port, too
 * @returns the server's address, such as `http://127.0.0.1:8080`
 * @throws Error that names the variable if another program uses the port
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
    if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cause
    throw new Error(`Another program uses port ${port} on ${host}. Stop it, or set ${portVariable} to another port.`, {
      cause
    })
  }
}
