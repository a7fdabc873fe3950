import { useQuery } from '@tanstack/react-query'
import type { MailKind } from '@tollgate/contracts/http/notices.ts'
import { type Answer, call } from '../../api/call.ts'
import { read, refresh } from '../../api/queries.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form, type Reading } from '../../forms/form.tsx'
import { onlyProblems, textOf } from '../../forms/read-fields.ts'
import { readThresholds } from '../../forms/read-number.ts'
import { useAccount } from '../../layout/owner.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { QueryView } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'

type Notifications = Answer<'getNotifications'>['notifications']
type Mail = Notifications['mails'][number]

const kinds: Readonly<Record<MailKind, readonly [name: string, hint: string]>> = {
  budget: ['Budgets', 'A budget reaches a threshold, or will probably not last for the month.'],
  refusals: ['Refused requests', 'A key refuses requests, for instance because its budget has too little left.'],
  keys: ['Keys', 'A key soon expires, or the old secret of a rotated key soon stops working.'],
  webhooks: ['Webhooks', 'An endpoint was disabled because every delivery failed for a day.'],
  prices: ['Prices', 'The price of a model that you used in the last 30 days rises.'],
  account: ['Account', 'A payment failed or came twice, the account was suspended, or an operator revoked a key.'],
  providers: ['Providers (operators)', 'A provider keeps failing.'],
  spend: ['Unusual spend (operators)', 'An account spends far more than usual.'],
  payments: ['Payments (operators)', 'An account paid twice, or for a price that no plan has.'],
  acts: ['Acts that wait (operators)', 'An act above the amount waits for a second operator.'],
  approvals: ['Approvals (operators)', 'New accounts wait for approval.']
}

/** Which mails the user gets, and at which shares of a budget the owner is told. */
export function NotificationsCard() {
  const query = useQuery(read('getNotifications'))
  return (
    <div id="notifications" className="scroll-mt-20">
      <Card
        isFlush
        title="Notifications"
        description="What we tell you by mail. The bell shows all of it, whatever you choose here."
      >
        <QueryView query={query} lines={9}>
          {({ notifications }) => <NotificationsForm notifications={notifications} />}
        </QueryView>
      </Card>
    </div>
  )
}

function NotificationsForm({ notifications }: { readonly notifications: Notifications }) {
  const isOwner = useAccount().role === 'owner'
  const showToast = useToast()
  const { mails, thresholds, key_thresholds: keyThresholds } = notifications
  return (
    <div className="px-5 pb-5">
      <Form
        read={(data) => readForm(data, mails, isOwner)}
        submit={async (body) => {
          await call('changeNotifications', { body })
          await refresh('getNotifications')
          showToast('Notifications saved.')
        }}
      >
        {(isBusy) => (
          <>
            <fieldset>
              <legend className="mb-1 text-sm font-medium">Mails to you</legend>
              <div className="grid gap-x-6 sm:grid-cols-2 xl:grid-cols-1">
                {mails.map((mail) => (
                  <MailChoice key={mail.kind} mail={mail} />
                ))}
              </div>
            </fieldset>
            {isOwner && (
              <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
                <TextField
                  name="thresholds"
                  label="Thresholds of the account"
                  hint="Percent of each budget, such as 50, 80, 100. Empty: none."
                  inputMode="text"
                  autoComplete="off"
                  defaultValue={thresholds.join(', ')}
                />
                <TextField
                  name="key_thresholds"
                  label="Thresholds of each key"
                  hint="Percent of each budget of a key. Empty: none."
                  autoComplete="off"
                  defaultValue={keyThresholds.join(', ')}
                />
              </div>
            )}
            <Button type="submit" tone="primary" isBusy={isBusy}>
              Save notifications
            </Button>
          </>
        )}
      </Form>
    </div>
  )
}

function MailChoice({ mail: { kind, on, required } }: { readonly mail: Mail }) {
  const [name, hint] = kinds[kind as MailKind] ?? [kind, '']
  return (
    <label className="flex gap-2.5 py-1.5 text-sm">
      <input
        type="checkbox"
        name={`mail_${kind}`}
        defaultChecked={on}
        disabled={required}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <span className="min-w-0">
        {name}
        {required && <span className="text-ink-soft"> (always on)</span>}
        <span className="block text-[0.8125rem] text-ink-soft">{hint}</span>
      </span>
    </label>
  )
}

interface Choice {
  mails: { [Kind in MailKind]?: boolean }
  thresholds?: number[]
  key_thresholds?: number[]
}

function readForm(data: FormData, mails: readonly Mail[], isOwner: boolean): Reading<Choice> {
  // Disabled fields are missing from the form. These mails are always on.
  const chosen = mails.filter(({ required }) => !required).map(({ kind }) => [kind, data.has(`mail_${kind}`)] as const)
  const account = readThresholds(textOf(data, 'thresholds'))
  const keys = readThresholds(textOf(data, 'key_thresholds'))
  const problems = onlyProblems({ thresholds: account.problem, key_thresholds: keys.problem })
  if (Object.keys(problems).length > 0) return { ok: false, problems }
  return {
    ok: true,
    values: {
      mails: Object.fromEntries(chosen),
      ...(isOwner && { thresholds: account.value, key_thresholds: keys.value })
    }
  }
}
