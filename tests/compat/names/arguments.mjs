// Arguments by the parameter's place, name or type, where its type alone does not say what makes sense. `{ $: … }` is made by values.mjs.
import { DATE, FILE, ID, INDEX } from "./world.mjs";

const POLYGON = "POLYGON((0 0, 0 2, 2 2, 2 0, 0 0))";
const NONE = "from Orders where name = 'none'";

/** By what names a parameter, `object.method.parameter.option`, and its type, `…: Type`. The first that fits counts. */
const BY_PATH = [
  [/RavenVector\.\w+$/, [0.1, 0.2]],
  [/^GetOperationStateOperation\.new\.id$/, 1],
  // What changes is not what others read.
  [/^session\.delete\.entity$/, { $: "newEntity" }],
  [/^session\.delete\.id|^Delete(Document|Command).*\.id$/, "orders/9-A"],
  [/^session\.store\.(entity|document)$/, { $: "newEntity" }],
  [/^session\.store\.id$/, "orders/8-A"],
  [/^(session|session\.advanced)\.(query|documentQuery)\.(opts\.)?index$/, { $: "indexClass" }],
  [/^(Delete|Stop|Start|Reset|Disable|Enable|SetIndexes)\w*\.new\.(.*\.)?indexNames?$/, "Spare"],
  [/^(Put|Patch)(Document|Command)\w*\.(new\.)?(id|ids)$/, "orders/7-A"],
  [
    /^Put(Document|Command)\w*\.new\.(document|jsonDocument)$/,
    { name: "Eve", "@metadata": { "@collection": "Orders" } },
  ],
  [/^CreateDatabaseOperation\.new\.databaseRecord$/, { databaseName: { $: "newDatabase" } }],
  [/^DeleteDatabasesOperation.*\.databaseNames$/, { $: "newDatabase" }],
  [/[dD]atabase(Name)?$|\.dbName$/, { $: "database" }],

  [/^GetDatabaseNamesOperation/, 0],
  [/evisions(SessionOp|Op).*\.changeVectors?$|evision\.changeVector$/, { $: "revision" }],
  [/conditionalLoad\.changeVector$/, { $: "vector" }],
  [/\.(changeVector|expectedChangeVector)$/, null],

  [/imeSeries.*\.clazz$/, { $: "HeartRate" }],
  [/Typed\w*TimeSeries\w*\.(append|increment)\.\w+: T/, { $: "heartRate" }],
  [
    /Policy\.parse\.\w+$/,
    {
      Name: "rawpolicy",
      RetentionTime: { Value: 1, Unit: "Month" },
      AggregationTime: { Value: 1, Unit: "Month" },
    },
  ],
  [/PolicyCheckFrequency$/, "00:10:00"],
  [/ncrementalTimeSeries\w*\.(name|suffix)$/, "INC:Likes"],
  [/imeSeries\w*\.(\w+\.)*(name|names|timeSeriesName|timeseries)$/, "HeartRates"],
  [/imeSeries\w*\.(\w+\.)?policy$/, "byHour"],
  [/selectTimeSeries\.projectionClass$/, { $class: "TimeSeriesRawResult" }],

  [/ttachments?(SessionOperations|\w*Operation|\w*CommandData)\.\w+\.(\w*[dD]ocumentId|id)$/, FILE],
  [/ttachmentsSessionOperations\.\w+\.(entity|sourceEntity|destinationEntity)$/, { $: "file" }],
  [/ttachments?\w*\.(\w+\.)*(name|sourceName|attachmentName)$/, "photo.png"],
  [/\.(newName|destinationName)$/, "other.png"],
  [/ounters?\w*\.(\w+\.)?(name|names|counter|counters|counterName)$/, "likes"],
  [/ompareExchange.*\.(key|keys|startsWith|startWith|id)$|cmpxchg\.key$|CmpXchg/, "usernames/ann"],

  [/aggregateUsing/, "facets/1"],
  [/\.(id|ids|documentId|docId|idOrIds|idPrefix|docIdPrefix|startsWith|\w+DocumentId)$/, ID],
  [/\.(entity|instance|entities|sourceEntity|destinationEntity)$/, { $: "entity" }],
  [/\.(indexName|indexNames)$/, INDEX],
  [/imeSeriesOperation\.new\.includes$/, { $callback: "ITimeSeriesIncludeBuilder" }],
  [/ubscription.*\.includes$/, { $callback: "ISubscriptionIncludeBuilder" }],
  [/\.includes?$|\.include\.path$|includeDocuments?\.path$/, "supplier"],
  [/\.nodeTag$/, "A"],
  [/containsA\w+\.values$/, ["a"]],
  [/\.(collection|collectionName|tag|collections)$/, "Orders"],
  [/\.pathToArray$/, "tags"],
  [/\.patchObject\.path/, "info"],
  [/\.(increment|addOrIncrement)\.path|\.(sumOn|minOn|maxOn|averageOn)\.path$|^RangeBuilder.*path$/, "total"],
  [/\.(valueToAdd|valToAdd)$/, 2],
  [/\.script$/, "this.patched = 1"],
  [/\.queryToUpdate$/, `${NONE} update { this.patched = 1 }`],
  [/\.queryToDelete$/, NONE],
  [/rawQuery\.query$|RawDocumentQuery.*query$|IndexQuery.*query$/, "from Orders"],
  [/\.whereParams$/, { fieldName: "name", value: "Ann" }],
  [/\.documentJson$/, '{"name":"Ann"}'],
  [/(patial|Distance\w*|withinRadiusOf|relatesToShape)\.fieldName$/, "place"],
  [/\.shapeWkt$|\.wkt$/, POLYGON],
  [/imeout$/, 15_000],
];

const BY_TYPE = {
  Date: { $date: DATE },
  DocumentType: { $: "Order" },
  ObjectTypeDescriptor: { $: "Order" },
  EntityConstructor: { $: "Order" },
  ClassConstructor: { $: "Order" },
  CompareExchangeResultClass: { $: "Order" },
  AttachmentData: { $: "bytes" },
  Field: "name",
  RemoteAttachmentParameters: null,
  TimeSeriesRangeType: "Last",
};

/** What the options of a type are added to, because all of them may be left out, but not at once. */
export const LEAST = {
  AdvancedDocumentQueryOptions: { collection: "Orders" },
  SubscriptionCreationOptions: { query: "from Orders" },
  GetCompareExchangeValuesParameters: { startWith: "usernames/" },
};

/** The value of a parameter, or nothing if any value of its type will do. */
export function given(path, type) {
  const found = BY_PATH.find(([pattern]) => pattern.test(path) || pattern.test(`${path}: ${type}`));
  return found ? found[1] : BY_TYPE[type];
}

/** Calls that no type leads to. */
export const BY_HAND = [{ on: "session", member: "load", args: [ID, { $: "ObjectLiteralDescriptor" }] }];

/** Types that no call of npm `ravendb` takes or returns by this name; the last one's members are names in functions that RavenDB runs. */
export const UNUSED = [
  "AggregationType",
  "DocumentResultStream",
  "SpatialField",
  "TimeSeriesValue",
  "IndexingMapUtils",
];
