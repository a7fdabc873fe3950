import { type DocsPage, storedHere } from '../docs-facts.ts'

export const security: DocsPage = {
  title: 'Data and security',
  summary: 'What is stored and for how long, how keys and passwords are kept, and what to do if a key leaks.',
  write: ({ publicUrl, modelsUrl, providersUrl, requestLogDays }) => `
## Prompts and answers

${storedHere}

A request goes to the provider of the [model](${modelsUrl}) that it names, and that provider's terms hold there.${
    providersUrl === null ? '' : ` See [what each provider keeps](${providersUrl}).`
  } Responses that you ask a provider to store (\`store\` at \`/v1/responses\`) are at that provider. Only the key that made them can read
them here.

## What is stored

| data | why | how long |
| --- | --- | --- |
| requests: time, key, model, status, tokens and cost | your [log of requests](${publicUrl}/dashboard/requests), and receipts | ${requestLogDays} days |
| usage by hour, key and model: tokens and cost | budgets, charts and charges | as long as the account, and longer without your name |
| keys: label, metadata, allowed addresses, last use, and a hash of the secret | to check requests | until some time after you revoke them |
| who changed what in the account, with the address of the browser | your [log](${publicUrl}/dashboard/audit) | as the operator sets it |
| name and e-mail address | to sign in, and for mails | until you delete the account |

Card numbers never reach us: the payment provider's page asks for them.

## API keys

- The secret of a key is shown once. We keep its SHA-256 hash, so nobody can read it again, not even we.
- A key that you revoke stops working at every gateway before the dashboard says so. If a part of the system is down, it takes up to 5 seconds.
- A key can do less: give it [budgets](${publicUrl}/docs/budgets), [limits](${publicUrl}/docs/limits), a list of models, the addresses that may use it, and an end.
- Replace the secret without a pause: a rotation keeps the old one valid for up to a day, as you choose.

**If a key leaks,** revoke it on its page, and choose “Also end open requests”. The [log of requests](${publicUrl}/dashboard/requests) shows what it was
used for. Whoever had it could spend no more than its budget.

## Sign-in

- Passwords are stored as hashes. A second factor with an authenticator app can be turned on at [Account](${publicUrl}/dashboard/account).
- A sign-in with a new browser is mailed to you. You see every session, and can end each one.
- Changes that matter, such as new management keys, ask for the password again.
- The public pages set no cookies and load nothing from elsewhere. After you sign in, cookies only keep you signed in.

## Take your data, or delete it

At [Account](${publicUrl}/dashboard/account) you can download everything that belongs to you, and delete the account. All its keys stop working at once, a
subscription ends, and your name and address are erased.
`
}
