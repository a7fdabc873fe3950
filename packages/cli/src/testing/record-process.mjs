import { recordCpu } from './record-cpu.mjs'

process.once('exit', () => recordCpu(`process ${process.argv[1]}`))
