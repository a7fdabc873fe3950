import assert from 'node:assert/strict'
import t from 'tap'
import { fuzzAnswers } from './fuzz-answers.ts'

t.test(
  'with `client: undici`, clients get the same answer or a clear failure, for any bytes of an upstream',
  async (t) => {
    const got = await fuzzAnswers(400, 1, ', client: undici')
    t.comment(Object.fromEntries(got))
    for (const kind of ['whole', 'stream', 'invalid answer: 502', 'stream, broken']) {
      const times = [...got].reduce((sum, [name, count]) => (name.endsWith(`: ${kind}`) ? sum + count : sum), 0)
      assert.ok(times > 3, `${times} × ${kind}`)
    }
  }
)
