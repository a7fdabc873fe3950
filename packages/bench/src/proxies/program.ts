/** The two command line arguments of a proxy program. Throws unless both are ports. */
export function portArguments(): { port: number; upstreamPort: number } {
  const [port, upstreamPort] = process.argv.slice(2).map(Number)
  if (!isPort(port) || !isPort(upstreamPort)) throw new Error('arguments: <port> <port of the upstream>')
  return { port, upstreamPort }
}

function isPort(value: number | undefined): value is number {
  return value !== undefined && Number.isInteger(value) && value > 0 && value < 65_536
}
