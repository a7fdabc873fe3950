/** Thrown when a server cannot listen because another program has its port. `port` is the number. */
export class PortTakenError extends Error {
  readonly port: number

  /** @param variable the environment variable that chose the port, if a person can change it there */
  constructor(port: number, variable?: string) {
    const named = variable === undefined ? `${port}` : `${port} (${variable})`
    const advice = variable === undefined ? '' : ` Stop that program, or set ${variable} to a free port.`
    super(`Port ${named} is in use by another program.${advice}`)
    this.name = 'PortTakenError'
    this.port = port
  }
}

/** Whether `error` is what `net.Server.listen` reports for a port that another program has. */
export function isAddressInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}
