import { describeEvents } from '../events/describe-events.ts'
import { accountEvents } from '../events/event-types.ts'
import { describeSchema } from '../openapi/document.ts'
import type { DocsFacts, DocsPage } from './docs-facts.ts'
import { clients } from './pages/clients.ts'
import { errors } from './pages/errors.ts'
import { features } from './pages/features.ts'
import { migrate } from './pages/migrate.ts'
import { quickstart } from './pages/quickstart.ts'

const webhooks: DocsPage = {
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

const budgets: DocsPage = {
  title: 'Budgets',
  summary: 'How spend is reserved, charged and capped.',
  write: ({ publicUrl, gatewayUrl }) => `
Before a request starts, we reserve its maximum cost. When it ends, we charge only its actual cost. So no key and no account can spend more
than its budget, however many requests run at once.

- The account has a budget for each calendar month (UTC). The owner can set a [lower one](${publicUrl}/dashboard/billing).
- Each e-mail address has one free budget. If several accounts have the address, also with another \`+tag\`, only the oldest has it. Deleting
  an account does not give back what it spent this month.
- Each key can have a [monthly budget](${publicUrl}/dashboard/keys) of its own.
- Keys, the account and its members can have more budgets: for a day, a week (from Monday), a month or a lifetime, and for some models only.
  Set them where you edit a key, or on the [billing page](${publicUrl}/dashboard/billing) for the account and its members. The pages of a
  key and of your [limits](${publicUrl}/dashboard/limits) show what is left. Days, weeks and months begin at midnight UTC.
- Each plan has a maximum cost of a single request.

If the budget has less left than a request may cost, its output limit is lowered. The header \`x-tollgate-granted-output-tokens\` has the
limit. If even a short answer could cost too much, the request gets 402:

| code | what is used up |
| --- | --- |
| \`request_budget_exceeded\` | the maximum cost of a single request |
| \`key_budget_exceeded\` | the month of the key |
| \`monthly_budget_exceeded\` | the month of the account |
| \`budget_exceeded\` | a day, a week, a month or the lifetime of the key, the account or a member; the error says which |
| \`free_budget_elsewhere\` | the free budget, which another account with your e-mail address already uses |

Such an error has \`limit_usd\`, \`spent_usd\`, \`reserved_usd\`, \`needed_usd\` and \`resets_at\`.

All free accounts together can share a daily limit. Once it is reached, their requests get 402 \`free_spend_exhausted\` until midnight (UTC),
with \`resets_at\` and \`Retry-After\`. Paid plans, and models that cost nothing, go on.

| header | on | says |
| --- | --- | --- |
| \`x-tollgate-cost\` | answers that are not streams | the dollars that the request is charged |
| \`x-tollgate-budget-remaining\` | answers to admitted requests | the dollars left for the month before this request, without what other requests reserve |

For the cost of a stream, send the request header \`x-tollgate-cost: true\`. The stream then ends with a comment that has the cost.
With \`"usage": { "include": true }\` in the body, the \`usage\` of the answer has it: \`cost\`, in dollars.

A key that refuses requests says so in the dashboard, with the smallest refused request. You get a mail, a notice and a webhook
(\`requests.refused\`) once a day, and when it ends.

**A cheaper model instead of a refusal:** choose one at “When a budget is used up” of the [key](${publicUrl}/dashboard/keys), or set
\`on_exhausted\` by the API. It answers requests that a budget refuses, if their cost still fits. The header \`x-tollgate-model\` then names it.

**Programs read what is left:** \`GET ${gatewayUrl}/v1/key\` has \`limit_usd\`, \`spent_usd\`, \`reserved_usd\` and \`remaining_usd\` of each
budget of the key. \`GET ${gatewayUrl}/v1/credits\` has the account's budget, with OpenRouter's names. Both cost nothing, and also work when a
budget is spent.

You get a mail, a notice and a [webhook](${publicUrl}/dashboard/webhooks) when a share of a budget is spent. The owner chooses the
[thresholds](${publicUrl}/dashboard/account).
`
}

const limits: DocsPage = {
  title: 'Limits',
  summary: 'Rates, bursts and concurrent requests, and how to stay below them.',
  write: ({ publicUrl, gatewayUrl }) => `
Your [limits](${publicUrl}/dashboard/limits) show what your plan allows and what is left now. \`GET ${publicUrl}/api/limits\` returns the same
numbers, and \`GET ${gatewayUrl}/v1/key\` those of a key. All keys of an account share the limits. A key can have its own limits, too: see below.

| limit | what counts | over it |
| --- | --- | --- |
| requests per minute | each request that starts | 429 \`requests_per_minute\` |
| tokens per minute | the prompt and the maximum output of each request | 429 \`tokens_per_minute\` |
| concurrent requests | requests in flight | 429 \`concurrent_requests\` |
| requests to free models | of some plans: requests to models that cost nothing, in a minute and in a day (UTC) | 429 \`free_model_requests\` |
| bodies in flight | bytes of the bodies of a key's requests in flight | 429 \`concurrent_request_bytes\` |

A burst is how much you may send at once. It refills all the time, so there is no fixed minute to wait for. In any 60 seconds you may send the
limit of a minute plus the burst.

Answers have \`x-ratelimit-limit-requests\`, \`x-ratelimit-remaining-requests\`, \`x-ratelimit-reset-requests\`, and the same for \`tokens\`.
\`Retry-After\` of a 429 says how many seconds to wait. For example, a first answer with a limit of 500 requests per minute and a burst of 84:

\`\`\`
x-ratelimit-limit-requests: 500
x-ratelimit-remaining-requests: 83
x-ratelimit-reset-requests: 120ms
\`\`\`

\`remaining\` counts from the burst, not from the limit: 83 more requests may start at once now. After 120 ms, the whole burst is available
again.

A request counts with its maximum output while it runs. Set \`max_completion_tokens\` or \`max_tokens\` to what you need, and more requests fit
into the limit. When the request ends, tokens that it did not use come back. If fewer tokens are left than you ask for, the output limit is
lowered, but not below the model's default. The header \`x-tollgate-granted-output-tokens\` has the limit.

**Limits of a key** are set where you edit the [key](${publicUrl}/dashboard/keys), or with these members at \`${publicUrl}/api/keys\`. The
limits of the plan apply, too, so a higher one changes nothing.

| member | limits |
| --- | --- |
| \`requests_per_minute\` | requests that start in a minute; the burst is the same share of it as in the plan |
| \`tokens_per_minute\` | tokens in each minute of the clock (UTC): the prompt and the maximum output of a request; once it has ended, what it used |
| \`concurrent_requests\` | requests that run at once |
`
}

/**
 * The guides for customers by the last part of their addresses, in order.
 */
export const docsPages: Readonly<Record<string, DocsPage>> = {
  quickstart,
  features,
  clients,
  migrate,
  errors,
  limits,
  budgets,
  webhooks
}

/** A page as a whole Markdown document. */
export const renderPage = ({ title, write }: DocsPage, facts: DocsFacts): string =>
  `# ${title}\n\n${write(facts).trim()}\n`
