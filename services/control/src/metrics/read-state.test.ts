import assert from 'node:assert/strict'
import { test } from 'tap'
import { createLimitedReader } from './read-state.ts'

/** A reader whose questions the test answers, with a clock that the test moves. */
function createManualReader() {
  const questions: PromiseWithResolvers<string>[] = []
  let time = 0
  const read = createLimitedReader(
    () => {
      const question = Promise.withResolvers<string>()
      questions.push(question)
      return question.promise
    },
    { now: () => time }
  )
  return { questions, read, pass: (ms: number) => (time += ms) }
}

test('readers at the same time share one question, and its answer is used again for three seconds', async () => {
  const { questions, read, pass } = createManualReader()
  const readers = [read(), read()]
  questions[0]!.resolve('one')
  assert.deepEqual(await Promise.all(readers), ['one', 'one'])
  pass(2999)
  assert.equal(await read(), 'one')
  assert.equal(questions.length, 1)
  pass(1)
  const later = read()
  questions[1]!.resolve('two')
  assert.equal(await later, 'two')
})

test('a failure is null, and is asked again after three seconds only', async () => {
  const { questions, read, pass } = createManualReader()
  const failing = read()
  questions[0]!.reject(new Error('away'))
  assert.equal(await failing, null)
  assert.equal(await read(), null)
  assert.equal(questions.length, 1)
  pass(3000)
  void read()
  assert.equal(questions.length, 2)
})

test('a question without an answer in two seconds is null at once, until half a minute has passed', async () => {
  const { questions, read, pass } = createManualReader()
  void read()
  pass(2000)
  assert.equal(await read(), null)
  pass(28_000)
  assert.equal(await read(), null)
  assert.equal(questions.length, 1)
  pass(1)
  const again = read()
  assert.equal(questions.length, 2)
  questions[0]!.resolve('late')
  questions[1]!.resolve('new')
  assert.equal(await again, 'new')
  assert.equal(await read(), 'new')
})
