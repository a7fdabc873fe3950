import { availableParallelism } from 'node:os'

/** @returns how many processes `GATEWAY_WORKERS` asks for. `auto`: one for each core that this process may use */
export function countWorkers(workers: string, cores: number = availableParallelism()): number {
  return workers === 'auto' ? cores : Number(workers)
}

/** A rule for `loadConfig`. */
export function checkWorkers({
  GATEWAY_WORKERS,
  GATEWAY_PORT
}: {
  GATEWAY_WORKERS: string
  GATEWAY_PORT: number
}): string | null {
  // Each worker would get another port.
  return GATEWAY_WORKERS !== '1' && GATEWAY_PORT === 0 ? 'GATEWAY_PORT: must not be 0 with GATEWAY_WORKERS' : null
}
