import { describeEvents } from '../../events/describe-events.ts'
import { accountEvents } from '../../events/event-types.ts'
import { describeSchema } from '../../openapi/describe-schema.ts'
import type { DocsPage } from '../docs-facts.ts'

export const webhooks: DocsPage = {
  title: 'Webhooks',
  summary: 'Signed messages about what happens in the account, and every event.',
  write: ({ publicUrl }) => `
We send your server a message when something happens in your account. Add its address on the
[page of webhooks](${publicUrl}/dashboard/webhooks), or with a management key:

\`\`\`sh
curl ${publicUrl}/api/webhooks -H "Authorization: Bearer YOUR_MANAGEMENT_KEY" -H "Content-Type: application/json" \\
  -d '{ "url": "https://example.com/webhook", "event_types": ["budget.threshold", "key.revoked"] }'
\`\`\`

Without \`event_types\`, the endpoint gets all events. The answer has the signing secret, \`whsec_…\`. We show it once.

**Answer** with any 2xx within 15 seconds. Other answers are tried again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h. An endpoint that
takes nothing for a day is turned off. 410 turns it off at once. Redirects are not followed.

**The same message may come twice,** and messages may come in another order than the events. Store \`webhook-id\` and skip ids that you know.
\`timestamp\` has the order.

## Verify a message

Messages follow the [Standard Webhooks](https://www.standardwebhooks.com) specification. Its library verifies them (\`npm install standardwebhooks\`).
This is a whole server: save it as \`receiver.mjs\`, and start it with \`WEBHOOK_SECRET=whsec_… node receiver.mjs\`.

\`\`\`js
import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET)

createServer(async (request, response) => {
  // The text as it arrived, before any parsing.
  let body = ''
  for await (const part of request.setEncoding('utf8')) body += part
  try {
    // Throws if the signature is wrong, or older than five minutes.
    const event = webhook.verify(body, request.headers)
    console.log(request.headers['webhook-id'], event.type)
    response.writeHead(204).end()
  } catch {
    response.writeHead(400).end()
  }
}).listen(process.env.PORT ?? 4000)
\`\`\`

After a rotation of the secret, messages have two signatures for a day, one with each secret.

${describeEvents(accountEvents)
  .map(({ type, description, data }) =>
    [`## ${type}`, description, `\`\`\`ts\n${describeSchema(data)}\n\`\`\``].join('\n\n')
  )
  .join('\n\n')}
`
}
