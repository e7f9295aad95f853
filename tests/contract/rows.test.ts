import 'fake-indexeddb/auto'
import { IdbRows } from '#store/idb-rows.ts'
import { MemoryRows } from '../support/memory-rows.ts'
import { rowsContract } from './rows.contract.ts'

let database = 0
rowsContract('IndexedDB', () => new IdbRows(`contract-${database++}`))
rowsContract('in memory', () => new MemoryRows())
