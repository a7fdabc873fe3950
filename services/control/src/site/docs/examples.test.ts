import assert from 'node:assert/strict'
import { asSchema, operationsOf, ownExample } from '@tollgate/contracts/openapi/document.ts'
import { inferenceDocument } from '@tollgate/contracts/openapi/inference.ts'
import { test } from 'tap'
import { readApiDocument } from '../../api-document.ts'
import { validator } from '../../testing/check-against-document.ts'
import { exampleAnswerOf, exampleOf } from './schema-example.ts'

test('each example of a request, an answer and a stream is valid', async () => {
  const invalid: string[] = []
  for (const document of [await readApiDocument(), inferenceDocument]) {
    const validate = validator(document)
    const named = document.components.schemas
    for (const { method, path, operation } of operationsOf(document)) {
      const { operationId, requestBody, responses } = operation
      const place = ['paths', path, method.toLowerCase()]
      const check = (pointer: string[], value: unknown) => {
        const problem = validate(pointer, value)
        if (problem !== null) invalid.push(`${operationId}: ${JSON.stringify(value)} ${problem}`)
      }
      const successes = Object.entries(responses).filter(([status]) => Number(status) < 400)
      for (const { pointer, content = {}, write } of [
        { pointer: ['requestBody'], content: requestBody?.content, write: exampleOf },
        ...successes.map(([status, { content }]) => ({
          ...{ pointer: ['responses', status], content, write: exampleAnswerOf }
        }))
      ]) {
        const whole = content['application/json']
        if (whole !== undefined) {
          check(
            [...place, ...pointer, 'content', 'application/json', 'schema'],
            ownExample(whole) ?? write(whole.schema!, named)
          )
        }
        const stream = content['text/event-stream']
        for (const [, data] of String(stream?.example ?? '').matchAll(/^data: (\{.*)$/gm)) {
          const { $ref } = asSchema(stream!.schema!['x-event-data']) as { $ref: string }
          check($ref.split('/').slice(1), JSON.parse(data!))
        }
      }
    }
  }
  assert.deepEqual(invalid, [])
})
