import assert from 'node:assert/strict'
import { test } from 'tap'
import { createControlReadiness, type ServingControl } from './readiness.ts'

/** A control whose database the test answers. */
function controlWithDatabase() {
  const questions: PromiseWithResolvers<unknown>[] = []
  const serving = {
    database: {
      orm: {
        execute() {
          const question = Promise.withResolvers<unknown>()
          questions.push(question)
          return question.promise
        }
      }
    },
    redis: { isReady: () => true },
    health: { problems: () => [] }
  } as unknown as ServingControl
  return { serving, questions }
}

test('probes of a database that stands still do not pile up: they share one question, and get 503', async () => {
  const { serving, questions } = controlWithDatabase()
  const read = createControlReadiness()
  const probes = await Promise.all(Array.from({ length: 100 }, () => read(serving, false)))
  assert.equal(questions.length, 1)
  assert.ok(probes.every(({ isReady, details }) => !isReady && details.database === false))
})

test('a database that answers again is ready at the next probe, although an earlier question never gets an answer', async () => {
  const { serving, questions } = controlWithDatabase()
  const read = createControlReadiness()
  assert.equal((await read(serving, false)).isReady, false)
  const next = read(serving, false)
  questions[1]!.resolve([])
  assert.equal((await next).isReady, true)
})
