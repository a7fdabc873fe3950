import { mkdir } from 'node:fs/promises'

/** The process of a node: a server or a Sentinel. */
interface Running {
  readonly pid: number | null
  kill(signal: NodeJS.Signals): Promise<void>
  stop(): Promise<void>
}

/** A server or Sentinel that can be killed and started again at its port, with its files. */
export interface RedisNode {
  readonly port: number
  /** The directory of its files: `dump.rdb`, `nodes.conf`, `sentinel.conf`. */
  readonly directory: string
  /** The id of the latest process. */
  pid(): number
  /** Sends a signal to its process: see `RunningRedis`. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Starts it again after it has ended. Without persistence it is empty then, unless there is a `dump.rdb`. */
  start(): Promise<void>
  /** Stops it with SIGTERM. A second call does nothing. */
  stop(): Promise<void>
}

/** @param start starts the process in `directory`, which exists by then */
export async function startNode(port: number, directory: string, start: () => Promise<Running>): Promise<RedisNode> {
  await mkdir(directory, { recursive: true })
  let running = await start()
  return {
    port,
    directory,
    pid: () => running.pid ?? 0,
    kill: (signal) => running.kill(signal),
    async start() {
      running = await start()
    },
    stop: () => running.stop()
  }
}
