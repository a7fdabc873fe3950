import { serveCommands } from '../processes/commands.ts'
import { ClosedLoop } from './closed-loop.ts'
import { KeyRing } from './key-ring.ts'
import { measureLatency } from './open-loop.ts'
import type { LoadCommand } from './protocol.ts'

const keys = new KeyRing()
const loop = new ClosedLoop(keys)

serveCommands<LoadCommand>(async (command) => {
  switch (command.kind) {
    case 'keys':
      keys.fill(command.keys)
      return null
    case 'open':
      return loop.open(command)
    case 'measure':
      return loop.measure(command)
    case 'close':
      return loop.close(command)
    case 'latency':
      return measureLatency(command, keys)
  }
})
