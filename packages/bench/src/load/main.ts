import { serveCommands } from '../processes/commands.ts'
import { ClosedLoop } from './closed-loop.ts'
import { measureLatency } from './open-loop.ts'
import type { LoadCommand } from './protocol.ts'

const loop = new ClosedLoop()

serveCommands<LoadCommand>(async (command) => {
  switch (command.kind) {
    case 'open':
      return loop.open(command)
    case 'measure':
      return loop.measure(command)
    case 'close':
      return loop.close(command)
    case 'latency':
      return measureLatency(command)
  }
})
