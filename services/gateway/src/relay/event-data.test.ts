import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { dataBytes, dataOf } from './server-sent-events.ts'

const line = fc.constantFrom('data:', 'data: ', 'data: {"a":1}', 'data:  b', 'event: x', ': data: no', 'é', '', 'data')
const lineEnd = fc.constantFrom('\n', '\n', '\r\n', '\r')

t.test('the bytes of the data of an event are those of its data lines', (t) => {
  fc.assert(
    fc.property(fc.array(fc.tuple(line, lineEnd), { minLength: 1, maxLength: 5 }), (lines) => {
      const event = Buffer.from(`${lines.flat().join('')}\n`)
      assert.equal(dataBytes(event, event.toString('latin1')).toString(), dataOf(event))
    })
  )
  t.end()
})
