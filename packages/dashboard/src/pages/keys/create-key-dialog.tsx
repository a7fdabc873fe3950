import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, isCode } from '../../api/api-error.ts'
import { type Answer, call, refetchShown } from '../../api/call.ts'
import { now } from '../../api/clock.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { read, refresh } from '../../api/queries.ts'
import { countOf } from '../../format/number.ts'
import { isolate } from '../../format/visible-text.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { TextField } from '../../forms/fields.tsx'
import { textOf } from '../../forms/read-fields.ts'
import { SelectField } from '../../forms/select-field.tsx'
import { WaitingDialog } from '../../layout/lazy-dialog.tsx'
import { OwnerName, useAccount } from '../../layout/owner.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { textLink } from '../../ui/class-names.ts'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Fold } from '../../ui/fold.tsx'
import { modelToTry } from './describe-key.ts'
import { FirstRequest } from './first-request.tsx'
import { AddressesField, BudgetField, KeyFields } from './key-fields.tsx'
import { allBudgets, type KeySettings, newSettings, readKeyForm } from './read-key-form.ts'
import { SecretDialog } from './secret-dialog.tsx'

interface CreatedKey {
  readonly id: string
  readonly label: string
  readonly secret: string
  readonly scope: Scope
  readonly models: string[] | null
}
type Scope = 'inference' | 'management'

export function CreateKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const account = useAccount()
  const { role, models } = account
  // The account may change elsewhere while the dialog is open.
  const [firstAccount] = useState(account)
  const [scope, setScope] = useState<Scope>('inference')
  const [created, setCreated] = useState<CreatedKey | null>(null)
  // Anew: a key may have been revoked since the last answer.
  const limits = useQuery({ ...read('getLimits'), refetchOnMount: 'always' })
  // Decided once: the key that this dialog creates may be the last one.
  const [start, setStart] = useState<Start | null>(null)
  if (start === null && !limits.isFetching) setStart(startWith(limits.data?.limits.keys))
  // One idempotency key per dialog, so that retries create one key.
  const [attempt] = useState(newIdempotencyKey)
  if (created !== null) {
    return (
      <SecretDialog
        title={`Key “${isolate(created.label)}” created`}
        secret={created.secret}
        scope={created.scope}
        model={modelToTry(models, created.models)}
        {...(created.scope === 'inference' && { tryIt: created })}
        {...(created.scope === 'inference' &&
          start?.isFirst === true && { outcome: <FirstRequest keyId={created.id} /> })}
        onClose={onClose}
      />
    )
  }
  const title = 'Create a key'
  const description = 'Use one key per app, so that you can tell their usage apart.'
  if (start === null) {
    return <WaitingDialog error={null} isRetrying onRetry={() => void limits.refetch()} onClose={onClose} />
  }
  const { quota, isFirst } = start
  if (quota !== null) return <QuotaReached limit={quota} title={title} onClose={onClose} />
  return (
    <Dialog title={title} description={description} onClose={onClose}>
      {scope === 'management' && <NoPartnerApi />}
      <DialogForm
        action="Create key"
        onClose={onClose}
        read={(data) => {
          const reading = readKeyForm(data, now(), null)
          const chosen: Scope = textOf(data, 'scope') === 'management' ? 'management' : 'inference'
          return reading.ok ? { ok: true, values: { ...reading.values, scope: chosen } } : reading
        }}
        submit={async (values) => {
          const key = await createKey(firstAccount, values, `${attempt}-${values.scope}`)
          setCreated({ id: key.id, label: key.label, secret: key.value, scope: values.scope, models: values.models })
          await refresh('listKeys', 'getLimits')
        }}
      >
        <TextField
          name="label"
          label="Label"
          placeholder="Production website"
          maxLength={100}
          defaultValue={isFirst ? 'My first key' : ''}
          autoComplete="off"
          required
        />
        {scope === 'inference' && <BudgetField present={null} />}
        <Fold title="More settings" isOpen={!isFirst}>
          {role === 'owner' && (
            <SelectField
              name="scope"
              label="Purpose"
              value={scope}
              onValueChange={(value) => setScope(value === 'management' ? 'management' : 'inference')}
              options={[
                ['inference', 'Call models'],
                ['management', 'Manage keys from your server']
              ]}
            />
          )}
          {scope === 'inference' ? <KeyFields present={null} /> : <AddressesField present={null} />}
        </Fold>
      </DialogForm>
    </Dialog>
  )
}

interface Start {
  /** The quota that is reached; null: a key fits, or control judges, because the limits cannot be read. */
  readonly quota: number | null
  /** Whether the account has no key yet. */
  readonly isFirst: boolean
}

const startWith = (keys: Answer<'getLimits'>['limits']['keys'] | undefined): Start => ({
  quota: keys !== undefined && keys.limit !== null && keys.in_use >= keys.limit ? keys.limit : null,
  isFirst: keys?.in_use === 0
})

interface QuotaReachedProps {
  readonly limit: number
  readonly title: string
  readonly onClose: () => void
}

/** Says in the place of the form that the plan allows no further key. */
function QuotaReached({ limit, title, onClose }: QuotaReachedProps) {
  const { role } = useAccount()
  return (
    <Dialog title={title} onClose={onClose}>
      <Banner tone="warning" title={`Your plan allows ${countOf(limit, 'API key')}`}>
        {role === 'owner' ? (
          <p>Revoke a key, or upgrade your plan.</p>
        ) : (
          <p>
            Revoke a key, or ask <OwnerName />, who owns your team, to upgrade.
          </p>
        )}
      </Banner>
      <DialogActions>
        {role === 'owner' && (
          <Link to="/dashboard/billing" className={buttonLook({ tone: 'primary' })}>
            Upgrade your plan
          </Link>
        )}
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  )
}

/** Says that the plan lets no server create keys, before someone fills in the form. Only owners see it. */
function NoPartnerApi() {
  const plan = useQuery(read('getPlan'))
  const offered = useQuery(read('listPlans'))
  if (plan.data === undefined || offered.data === undefined) return null
  const includes = (entitlements: readonly string[]): boolean => entitlements.includes('partner-api')
  const others = offered.data.plans.filter(({ entitlements }) => includes(entitlements)).map(({ name }) => name)
  if (includes(plan.data.plan.entitlements)) return null
  if (others.length === 0) return <Banner tone="warning" title="No plan here lets a server create keys" />
  return (
    <Banner tone="warning" title="Your plan does not let a server create keys">
      <p>
        {others.length === 1 ? 'The plan that does' : 'Plans that do'}: {others.join(', ')}.{' '}
        <Link to="/dashboard/billing" className={textLink}>
          Compare the plans
        </Link>
        .
      </p>
    </Banner>
  )
}

type ShownAccount = Pick<Answer<'getAccount'>['account'], 'id' | 'role'>

/**
 * Creates a key. If an earlier attempt created it but its response was lost, nobody has seen the value. Then the
 * existing key gets the requested settings and a new value.
 *
 * @param shown the account that the person saw: in another one, no key is created
 * @param settings the settings of the key
 * @param idempotencyKey the same in every attempt
 * @throws ApiError
 */
async function createKey(
  { id, role }: ShownAccount,
  { scope, ...settings }: KeySettings & { readonly scope: Scope },
  idempotencyKey: string
): Promise<Answer<'createKey'>['key']> {
  try {
    return (await call('createKey', { body: { ...newSettings(settings), scope, account_id: id }, idempotencyKey })).key
  } catch (error) {
    if (isCode(error, 'account_changed')) {
      refetchShown()
      const why = role === 'seat' ? 'You are no longer in the team' : 'You joined a team'
      throw new ApiError(409, error.code, `${why}, so no key was created. Close this dialog to see your keys now.`)
    }
    if (!isCode(error, 'already_created') || error.keyId === null) throw error
    const params = { id: error.keyId }
    // An earlier attempt may have had other budgets: all are replaced.
    const { monthly_budget_usd: _, more_budgets: _more, ...others } = settings
    await call('changeKey', { params, body: { ...others, budgets: allBudgets(settings) } })
    const { key } = await call('rotateKey', { params, body: {}, idempotencyKey: newIdempotencyKey() })
    return { ...key, label: settings.label }
  }
}
