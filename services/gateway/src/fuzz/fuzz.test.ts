import t from 'tap'
import { fuzzAnswers } from './fuzz-answers.ts'
import { fuzzArrivals } from './fuzz-arrivals.ts'
import { fuzzRequests } from './fuzz-requests.ts'

// `npm run fuzz` does the same for longer, with other seeds.
t.test(
  'whatever bytes clients send, they get an answer of ours, and the upstream nothing that was not judged',
  async (t) => {
    const statuses = await fuzzRequests(400, 1)
    t.comment(Object.fromEntries(statuses))
    t.ok((statuses.get(200) ?? 0) > 20, 'what is left valid is served')
    t.ok((statuses.get(400) ?? 0) > 20)
  }
)

t.test('whatever a request says of its body, it gets an answer, and holds no memory afterwards', async (t) => {
  const statuses = await fuzzArrivals(200, 1)
  t.comment(Object.fromEntries(statuses))
  for (const status of [200, 400, 408, 413, 415]) t.ok((statuses.get(status) ?? 0) > 0, String(status))
})

t.test('whatever bytes an upstream answers, clients get just these or a failure that they can tell', async (t) => {
  const got = await fuzzAnswers(400, 1)
  t.comment(Object.fromEntries(got))
  for (const kind of ['whole', 'stream', 'whole, broken', 'stream, broken']) t.ok((got.get(kind) ?? 0) > 3, kind)
})
