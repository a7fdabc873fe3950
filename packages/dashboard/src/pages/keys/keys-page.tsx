import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound, Plus, SearchX } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { type Answer, send } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import { lazyDialog } from '../../layout/lazy-dialog.tsx'
import { BillingLink, useAccount } from '../../layout/owner.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { Empty, LoadMore, QueryView } from '../../ui/states.tsx'
import { describeOverQuota } from '../billing/over-quota.ts'
import { type KeyAction, keyColumns } from './key-cells.tsx'
import { KeyFilters, KeyTable } from './key-table.tsx'
import { isFiltered, type KeysSearch, noKeysReason, readOrder, readTag } from './keys-search.ts'
import type { Key } from './read-key-form.ts'

const pageSize = '50'

/** Loads pages of keys. Control searches and sorts. */
function useKeys(search: KeysSearch) {
  const q = search.q?.trim() ?? ''
  const tag = readTag(search.tag ?? '')
  const input = {
    limit: pageSize,
    sort: readOrder(search),
    spend: 'true' as const,
    ...(q !== '' && { q }),
    ...(search.revoked === '1' && { include_revoked: 'true' as const }),
    ...(tag !== null && { [`metadata.${tag[0]}`]: tag[1] })
  }
  return useInfiniteQuery<Answer<'listKeys'>, ApiError, Answer<'listKeys'>['keys'], unknown[], string | undefined>({
    queryKey: ['listKeys', input],
    queryFn: ({ pageParam: cursor, signal }) => send('listKeys', { query: { ...input, cursor } }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    select: ({ pages }) => pages.flatMap(({ keys }) => keys),
    placeholderData: keepPreviousData
  })
}

/** Whether an account without active keys has revoked keys to show; undefined while unknown. */
function useHasRevoked(isAsked: boolean): boolean | undefined {
  const { data, isError } = useQuery({
    ...read('listKeys', { query: { limit: '1', include_revoked: 'true' } }),
    enabled: isAsked
  })
  // If the check fails, offer the filter for revoked keys anyway.
  return data === undefined ? (isError ? true : undefined) : data.keys.length > 0
}

const CreateKeyDialog = lazyDialog(() => import('./create-key-dialog.tsx'), 'CreateKeyDialog')
const EditKeyDialog = lazyDialog(() => import('./key-dialogs.tsx'), 'EditKeyDialog')
const EndOldValueDialog = lazyDialog(() => import('./key-dialogs.tsx'), 'EndOldValueDialog')
const PauseKeyDialog = lazyDialog(() => import('./key-dialogs.tsx'), 'PauseKeyDialog')
const RevokeKeyDialog = lazyDialog(() => import('./key-dialogs.tsx'), 'RevokeKeyDialog')
const RotateKeyDialog = lazyDialog(() => import('./rotate-key-dialog.tsx'), 'RotateKeyDialog')

type Open = { readonly action: 'create' } | { readonly action: KeyAction; readonly key: Key }

/** The address names what is shown, and can open the dialog that creates a key. */
export function KeysPage() {
  const { create: asksToCreate, ...search } = useSearch({ from: '/dashboard/keys' })
  const { role } = useAccount()
  const navigate = useNavigate({ from: '/dashboard/keys' })
  const show = (changed: KeysSearch) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true })
  const [chosen, setChosen] = useState<Open | null>(null)
  const open: Open | null = asksToCreate === '1' ? { action: 'create' } : chosen
  const query = useKeys(search)
  const columns = useMemo(() => keyColumns((action, key) => setChosen({ action, key })), [])
  const isEmpty = query.data?.length === 0 && !isFiltered(search)
  const hasRevoked = useHasRevoked(isEmpty)
  const close = () => {
    setChosen(null)
    if (asksToCreate !== undefined) void navigate({ search, replace: true })
  }
  const create = (
    <Button tone="primary" onClick={() => setChosen({ action: 'create' })}>
      <Plus aria-hidden="true" className="size-4" />
      Create key
    </Button>
  )
  return (
    <Page
      {...pageHeads['/dashboard/keys']}
      isWaiting={query.isPending || (isEmpty && hasRevoked === undefined)}
      actions={isEmpty ? undefined : create}
    >
      <OverQuotaNote />
      {(!isEmpty || hasRevoked === true) && <KeyFilters search={search} onChange={show} />}
      <Card isFlush className={query.isPlaceholderData ? 'opacity-60' : ''}>
        <QueryView query={query} lines={10}>
          {(keys) =>
            keys.length > 0 ? (
              <KeyTable columns={columns} rows={keys} order={readOrder(search)} onOrder={(sort) => show({ sort })} />
            ) : (
              <NoKeys
                create={create}
                why={noKeysReason({
                  isFiltered: isFiltered(search),
                  isSearching: query.isPlaceholderData,
                  hasRevoked
                })}
              />
            )
          }
        </QueryView>
      </Card>
      {!query.isPlaceholderData && <LoadMore query={query} text="Show more keys" />}
      {role !== 'owner' && (
        <p className="text-sm text-ink-soft">These are the keys of your team. You can change those that you created.</p>
      )}
      {open?.action === 'create' && <CreateKeyDialog onClose={close} />}
      {open?.action === 'edit' && <EditKeyDialog target={open.key} onClose={close} />}
      {open?.action === 'rotate' && <RotateKeyDialog target={open.key} onClose={close} />}
      {open?.action === 'end-old-value' && <EndOldValueDialog target={open.key} onClose={close} />}
      {open?.action === 'pause' && <PauseKeyDialog target={open.key} onClose={close} />}
      {open?.action === 'revoke' && <RevokeKeyDialog target={open.key} onClose={close} />}
    </Page>
  )
}

/** Says how many keys are above the number of the plan; nothing if none is. */
function OverQuotaNote() {
  const { data } = useQuery(read('getLimits'))
  const overQuota = data === undefined ? null : describeOverQuota(data.limits.keys)
  if (overQuota === null) return null
  return (
    <Banner tone="warning" title={overQuota.title}>
      {overQuota.text} <BillingLink text="Compare plans" />
    </Banner>
  )
}

interface NoKeysProps {
  readonly why: ReturnType<typeof noKeysReason>
  /** The button that creates a key. */
  readonly create: ReactNode
}

/** Replaces an empty list of keys. */
function NoKeys({ why, create }: NoKeysProps) {
  switch (why) {
    case 'new':
      return (
        <Empty icon={KeyRound} title="No keys yet" action={create}>
          Create a key to call models with the SDK you already use.
        </Empty>
      )
    case 'revoked':
      return (
        <Empty icon={KeyRound} title="No active keys" action={create}>
          Create a key to call models again. “Show revoked keys” lists keys revoked in the last 30 days.
        </Empty>
      )
    case 'searching':
      return (
        <Empty icon={SearchX} title="Searching …">
          Your keys are being searched.
        </Empty>
      )
    case 'filtered':
      return (
        <Empty icon={SearchX} title="No matching keys">
          Change the filter, or clear it to see all keys.
        </Empty>
      )
  }
}
