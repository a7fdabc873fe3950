import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { testOnEveryRedis } from '../testing/redis-servers.ts'

const part = readFileSync(new URL('./month.lua', import.meta.url), 'utf8')
const script = `${part}
local months = {}
for second = tonumber(ARGV[1]), tonumber(ARGV[2]), 86400 do
  months[#months + 1] = monthOf(second)
end
return months`

testOnEveryRedis('months', async (t, { client }) => {
  t.test('the first and the last second of every day until 2110 are in the right month', async () => {
    const end = Date.UTC(2110, 0) / 1000
    for (const offset of [0, 86_399]) {
      const months = (await client.eval(script, 0, offset, end)) as number[]
      const expected = months.map((_, day) => {
        const date = new Date((day * 86_400 + offset) * 1000)
        return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1
      })
      assert.deepEqual(months, expected)
    }
  })
})
