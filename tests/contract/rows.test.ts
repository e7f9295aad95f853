import 'fake-indexeddb/auto'
import { DexieRows } from '#store/dexie-rows.ts'
import { MemoryRows } from '../support/memory-rows.ts'
import { rowsContract } from './rows.contract.ts'

let database = 0
rowsContract('IndexedDB through Dexie', () => new DexieRows(`contract-${database++}`))
rowsContract('in memory', () => new MemoryRows())
