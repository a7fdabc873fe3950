import { commandTable } from './command-table.ts'
import { runTollgate } from './run-tollgate.ts'
import { openTerminal } from './terminal-io.ts'

const interrupted = 130

// The process that started this one has ended, or the person pressed Ctrl-C.
process.on('disconnect', () => process.exit(interrupted))
process.channel?.unref()
process.on('SIGINT', () => process.exit(interrupted))
// The reader of a pipe may stop early, such as `head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

const io = openTerminal()
process.exitCode = await runTollgate(process.argv.slice(2), io, commandTable)
io.close()
