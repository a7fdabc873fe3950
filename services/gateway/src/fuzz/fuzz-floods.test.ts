import t from 'tap'
import { fuzzFloods } from './fuzz-floods.ts'

/** Before connections were ended, the loop was held for up to 300 ms. `npm run fuzz` judges by 20 ms. */
const maxMs = 100

t.test('no connection blocks the event loop with many requests at once or a body in tiny chunks', async () => {
  await fuzzFloods(30, 1, maxMs)
})
