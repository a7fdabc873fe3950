import { once } from 'node:events'
import { serveCommands } from '../children.ts'
import type { StreamShape } from './answers.ts'
import { createUpstream } from './server.ts'

export type UpstreamCommand = { kind: 'listen'; port: number } | { kind: 'shape'; shape: StreamShape }

let shape: StreamShape = { chunks: 20, paceMs: 0 }
const server = createUpstream(() => shape)

serveCommands<UpstreamCommand>(async (command) => {
  if (command.kind === 'shape') {
    shape = command.shape
    return
  }
  server.listen({ host: '127.0.0.1', port: command.port, backlog: 4096 })
  await once(server, 'listening')
})
