import { Link } from '@tanstack/react-router'
import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import { buttonLook } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { AuditList } from '../../audit/audit-list.tsx'

/** The newest entries of the account's own audit log. */
export function AuditCard({ account }: { readonly account: AdminAccount }) {
  return (
    <Card
      isFlush
      title="Audit log of the account"
      actions={
        <Link to="/dashboard/operator/log" search={{ account_id: account.id }} className={buttonLook()}>
          Only acts of operators
        </Link>
      }
    >
      {account.audit.length === 0 ? (
        <p className="px-5 pb-5 text-sm text-ink-soft">No entries yet.</p>
      ) : (
        <div className="border-t border-line">
          <AuditList entries={account.audit} />
        </div>
      )}
    </Card>
  )
}
