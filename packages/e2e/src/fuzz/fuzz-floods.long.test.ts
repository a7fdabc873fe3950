import t from 'tap'
import { fuzzFloods } from './fuzz-floods.ts'

/** Before the gateway closed such connections, a turn took up to 300 ms. The limit of `npm run fuzz` is 20 ms. */
const maxMs = 100

t.test('no connection blocks the event loop with many requests at once or a body in tiny chunks', async () => {
  await fuzzFloods(30, 1, maxMs)
})
