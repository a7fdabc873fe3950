// Prints the CPU seconds of a fixed piece of work each 10 s until it is ended: how fast this machine is while other programs run.
import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

function work() {
  const words = Array.from({ length: 20_000 }, (_, i) => ({
    id: i,
    text: createHash('sha256').update(`${i}`).digest('hex')
  }))
  let sum = 0
  for (let round = 0; round < 8; round++) {
    const copy = JSON.parse(JSON.stringify(words))
    copy.sort((one, other) => (one.text < other.text ? -1 : 1))
    sum += new Map(copy.map(({ text, id }) => [text, id])).size
  }
  return sum
}

// The first rounds also compile the code.
work()
work()
for (;;) {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  console.log(((user + system) / 1e6).toFixed(4))
  await delay(10_000)
}
