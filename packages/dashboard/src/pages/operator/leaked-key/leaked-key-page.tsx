import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type AdminAnswer, adminCall } from '../../../api/admin.ts'
import { isolate, visibleText } from '../../../format/visible-text.ts'
import { TextField } from '../../../forms/fields.tsx'
import { Form } from '../../../forms/form.tsx'
import { lazyDialog } from '../../../layout/lazy-dialog.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { textLink } from '../../../ui/class-names.ts'
import { operatorHeads } from '../../../ui/operator-heads.ts'
import { Page } from '../../../ui/page.tsx'
import { type ReportedKey, readReportedKey } from '../read-reported-key.ts'
import type { FoundKey } from './revoke-found-key-dialog.tsx'

const RevokeFoundKeyDialog = lazyDialog(() => import('./revoke-found-key-dialog.tsx'), 'RevokeFoundKeyDialog')

type Revoked = AdminAnswer<'revokeKey'>

/** Finds a key that somebody found in public, shows whose it is, and revokes it. */
export function LeakedKeyPage() {
  const [leak, setLeak] = useState<FoundKey | null>(null)
  const [revoked, setRevoked] = useState<Revoked | null>(null)
  // A new form has empty fields, so that the pasted key does not stay in the page.
  const [formNumber, setFormNumber] = useState(0)
  return (
    <Page {...operatorHeads['/dashboard/operator/leaked-key']}>
      <Card title="Report a key" description="First see whose key it is. Nothing is revoked before you confirm it.">
        <Form<ReportedKey>
          key={formNumber}
          read={readReportedKey}
          submit={async (key) => {
            setRevoked(null)
            setLeak((await adminCall('findKey', { body: key })).key)
          }}
        >
          {(isBusy) => (
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
              <Button type="submit" tone="primary" isBusy={isBusy}>
                Find key
              </Button>
            </>
          )}
        </Form>
      </Card>
      {revoked !== null && <Outcome revoked={revoked} />}
      {leak !== null && (
        <RevokeFoundKeyDialog
          leak={leak}
          onRevoked={(done) => {
            setRevoked(done)
            setFormNumber((number) => number + 1)
          }}
          onClose={() => setLeak(null)}
        />
      )}
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
