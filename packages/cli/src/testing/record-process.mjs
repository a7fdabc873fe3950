import { recordCpu } from './record-cpu.mjs'

const file = process.argv[1] ?? ''
// Programs that a test starts with the same arguments are its children.
if (/[.]test[.]ts$|\/testing\/groups\//.test(file)) process.once('exit', () => recordCpu(`process ${file}`))
