import assert from 'node:assert/strict'
import t from 'tap'
import { fuzzAnswers } from './fuzz-answers.ts'
import { fuzzArrivals } from './fuzz-arrivals.ts'
import { fuzzRequests } from './fuzz-requests.ts'

// `npm run fuzz` does the same for longer, with other seeds.
t.test(
  'whatever bytes clients send, they get valid answers, and the upstream gets only checked requests',
  async (t) => {
    const statuses = await fuzzRequests(400, 1)
    t.comment(Object.fromEntries(statuses))
    assert.ok((statuses.get(200) ?? 0) > 20, 'requests that stay valid are served')
    assert.ok((statuses.get(400) ?? 0) > 20)
  }
)

t.test('every request gets an answer and then holds no memory, whatever it declares about its body', async (t) => {
  const statuses = await fuzzArrivals(200, 1)
  t.comment(Object.fromEntries(statuses))
  for (const status of [200, 400, 408, 413, 415]) assert.ok((statuses.get(status) ?? 0) > 0, String(status))
})

t.test('clients get exactly the upstream’s bytes or a recognizable failure, whatever it answers', async (t) => {
  const got = await fuzzAnswers(900, 1)
  t.comment(Object.fromEntries(got))
  for (const api of ['chat', 'responses', 'messages']) {
    for (const kind of ['whole', 'stream', 'invalid answer: 502', 'stream, broken']) {
      assert.ok((got.get(`${api}: ${kind}`) ?? 0) > 0, `${api}: ${kind}`)
    }
  }
})
