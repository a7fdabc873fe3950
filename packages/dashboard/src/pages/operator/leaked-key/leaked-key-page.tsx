import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type AdminAnswer, refreshAdmin } from '../../../api/admin.ts'
import { isolate, visibleText } from '../../../format/visible-text.ts'
import { TextField } from '../../../forms/fields.tsx'
import { Form } from '../../../forms/form.tsx'
import { textOf } from '../../../forms/read-fields.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { operatorHeads } from '../../../ui/operator-heads.ts'
import { Page } from '../../../ui/page.tsx'
import { textLink } from '../../../ui/text-link.ts'
import { type ReportedKey, readReportedKey } from '../read-reported-key.ts'
import { revokeReportedKey } from '../revoke-reported-key.ts'

type Revoked = AdminAnswer<'revokeKey'>

/** Revokes a key that somebody found in public. */
export function LeakedKeyPage() {
  const [revoked, setRevoked] = useState<Revoked | null>(null)
  // A new form has empty fields, so that the pasted key does not stay in the page.
  const [formNumber, setFormNumber] = useState(0)
  return (
    <Page {...operatorHeads['/dashboard/operator/leaked-key']}>
      <Card
        title="Report a key"
        description="Every gateway refuses the key at once, and its owner gets a mail. This cannot be undone."
      >
        <Form<{ readonly key: ReportedKey; readonly reason: string }>
          key={formNumber}
          read={(data) => {
            const key = readReportedKey(data)
            const reason = textOf(data, 'reason').trim()
            if (key.ok && reason !== '') return { ok: true, values: { key: key.values, reason } }
            return {
              ok: false,
              problems: {
                ...(key.ok ? {} : key.problems),
                ...(reason === '' && { reason: 'Enter where it was found.' })
              }
            }
          }}
          submit={async ({ key, reason }) => {
            setRevoked(null)
            setRevoked(await revokeReportedKey(key, reason))
            setFormNumber((number) => number + 1)
            await refreshAdmin()
          }}
        >
          {(isBusy, isPending) => (
            <>
              <TextField
                name="key"
                label="Key, key id, or SHA-256 of the key"
                hint="A key begins with tg_ or tgm_."
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
                required
              />
              <TextField
                name="reason"
                label="Where was it found?"
                hint="The customer can read it in their audit log."
                maxLength={500}
                autoComplete="off"
                required
              />
              <Button type="submit" tone="danger" isBusy={isBusy}>
                {isPending ? 'Check again' : 'Revoke key'}
              </Button>
            </>
          )}
        </Form>
      </Card>
      {revoked !== null && <Outcome revoked={revoked} />}
    </Page>
  )
}

function Outcome({ revoked: { key, mailed } }: { readonly revoked: Revoked }) {
  return (
    <Banner tone="success" title="The key is revoked" isAnnounced>
      <p>
        {visibleText(key.label) === '' ? 'The key' : `“${isolate(key.label)}”`} (
        <code className="font-mono">{key.prefix}…</code>) no longer works.{' '}
        {mailed
          ? 'Its owner gets a mail.'
          : 'No mail goes to its owner now: the key was revoked before, or this service has no mail server.'}
      </p>
      <p className="mt-1">
        <Link to="/dashboard/operator/accounts/$id" params={{ id: key.account_id }} className={textLink}>
          Open the account
        </Link>
      </p>
    </Banner>
  )
}
