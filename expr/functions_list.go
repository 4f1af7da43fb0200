package expr

// functionRows is the list of DuckDB's functions that a statement may call: those without access to files, settings,
// the environment or the system, and without side effects. Everything that is not here is refused.
var functionRows = []functionRow{
	{AggregateFunc, 0, 0, resultBigint, false, "count_star"},
	{AggregateFunc, 0, 1, resultBigint, false, "count"},
	{AggregateFunc, 1, -1, resultBigint, false, "grouping"},
	{AggregateFunc, 1, 1, resultArg0, false, "any_value arbitrary bit_and bit_or bit_xor first last mode"},
	{AggregateFunc, 1, 1, resultAvg, false, "avg mean"},
	{AggregateFunc, 1, 1, resultBigint, false, "approx_count_distinct"},
	{AggregateFunc, 1, 1, resultBool, false, "bool_and bool_or"},
	{AggregateFunc, 1, 1, resultDouble, false, "entropy favg fsum kahan_sum kurtosis kurtosis_pop product sem skewness stddev stddev_pop stddev_samp " +
		"sumkahan var_pop var_samp variance"},
	{AggregateFunc, 1, 1, resultHuge, false, "count_if countif"},
	{AggregateFunc, 1, 1, resultListof, false, "array_agg list"},
	{AggregateFunc, 1, 1, resultSum, false, "sum"},
	{AggregateFunc, 1, 1, resultUnknown, false, "mad sum_no_overflow"},
	{AggregateFunc, 1, 2, resultExtreme, false, "max min"},
	{AggregateFunc, 1, 2, resultText, false, "group_concat listagg string_agg"},
	{AggregateFunc, 1, 2, resultUnknown, false, "histogram quantile quantile_disc"},
	{AggregateFunc, 1, 3, resultUnknown, false, "bitstring_agg"},
	{AggregateFunc, 2, 2, resultArg0, false, "arg_max_null arg_min_null"},
	{AggregateFunc, 2, 2, resultDouble, false, "corr covar_pop covar_samp regr_avgx regr_avgy regr_intercept regr_r2 regr_slope regr_sxx regr_sxy " +
		"regr_syy"},
	{AggregateFunc, 2, 2, resultUint, false, "regr_count"},
	{AggregateFunc, 2, 2, resultUnknown, false, "approx_quantile approx_top_k histogram_exact quantile_cont"},
	{AggregateFunc, 2, 3, resultArg0, false, "arg_max arg_max_nulls_last arg_min arg_min_nulls_last argmax argmin max_by min_by"},
	{AggregateFunc, 2, 3, resultUnknown, false, "reservoir_quantile"},
	{Scalar, 0, -1, resultCommon, false, "array_cat array_concat list_cat list_concat"},
	{Scalar, 0, -1, resultUnknown, false, "array_to_json array_value array_zip json_array json_object json_quote list_pack list_value list_zip " +
		"map_concat row row_to_json struct_concat struct_insert struct_pack struct_update to_json"},
	{Scalar, 0, 0, resultDate, true, "current_date today"},
	{Scalar, 0, 0, resultDouble, false, "pi"},
	{Scalar, 0, 0, resultDouble, true, "random"},
	{Scalar, 0, 0, resultTime, true, "current_localtime"},
	{Scalar, 0, 0, resultTimestamp, true, "current_localtimestamp"},
	{Scalar, 0, 0, resultTimestamptz, true, "current_timestamp get_current_timestamp now transaction_timestamp"},
	{Scalar, 0, 0, resultUnknown, true, "gen_random_uuid get_current_time uuid uuidv4 uuidv7"},
	{Scalar, 0, 2, resultUnknown, false, "map"},
	{Scalar, 1, -1, resultCommon, false, "coalesce greatest least"},
	{Scalar, 1, -1, resultText, false, "format printf"},
	{Scalar, 1, -1, resultUbigint, false, "cardinality hash"},
	{Scalar, 1, 1, resultArg0, false, "abs array_distinct array_pop_back array_pop_front array_reverse list_distinct list_reverse"},
	{Scalar, 1, 1, resultBigint, false, "bit_length century char_length character_length day dayofmonth dayofweek dayofyear decade epoch_ns " +
		"epoch_us era hour isodow isoyear len length length_grapheme microsecond millennium millisecond " +
		"minute month nanosecond octet_length quarter second strlen timezone_hour timezone_minute week " +
		"weekday weekofyear year yearweek"},
	{Scalar, 1, 1, resultBlob, false, "encode from_base64 from_binary from_hex unbin unhex"},
	{Scalar, 1, 1, resultBool, false, "isfinite isinf isnan json_valid signbit"},
	{Scalar, 1, 1, resultDate, false, "last_day"},
	{Scalar, 1, 1, resultDouble, false, "acos acosh asin asinh atan atanh cbrt cos cosh cot degrees epoch even exp gamma julian lgamma ln " +
		"log10 log2 radians sin sinh sqrt tan tanh"},
	{Scalar, 1, 1, resultElem, false, "flatten"},
	{Scalar, 1, 1, resultHuge, false, "factorial"},
	{Scalar, 1, 1, resultInt, false, "ascii ord unicode"},
	{Scalar, 1, 1, resultInterval, false, "normalized_interval to_centuries to_days to_decades to_hours to_microseconds to_millennia " +
		"to_milliseconds to_minutes to_months to_quarters to_seconds to_weeks to_years"},
	{Scalar, 1, 1, resultText, false, "base64 bin chr dayname formatreadabledecimalsize formatreadablesize format_bytes hex json_pretty " +
		"lcase lower md5 monthname nfc_normalize regexp_escape reverse sha1 sha256 strip_accents to_base64 " +
		"to_binary to_hex typeof ucase upper url_decode url_encode"},
	{Scalar, 1, 1, resultTexts, false, "struct_keys"},
	{Scalar, 1, 1, resultTimestamp, false, "make_timestamp_ms"},
	{Scalar, 1, 1, resultTimestamptz, false, "to_timestamp uuid_extract_timestamp"},
	{Scalar, 1, 1, resultTinyint, false, "sign"},
	{Scalar, 1, 1, resultUbigint, false, "array_unique list_unique parse_formatted_bytes"},
	{Scalar, 1, 1, resultUint, false, "uuid_extract_version"},
	{Scalar, 1, 1, resultUnknown, false, "ago bit_count days_in_month json " +
		"json_structure list_approx_count_distinct list_bit_and " +
		"list_bit_or list_bit_xor list_bool_and list_bool_or list_entropy " +
		"list_histogram list_kurtosis list_kurtosis_pop list_mad list_median " +
		"list_mode list_product list_sem list_skewness list_stddev_pop list_stddev_samp list_string_agg " +
		"list_sum list_var_pop list_var_samp make_timestamp_ns map_entries map_from_entries map_keys " +
		"map_values md5_number md5_number_lower md5_number_upper struct_values"},
	{Scalar, 1, 1, resultWhole, false, "ceil ceiling floor"},
	{Scalar, 1, 2, resultArg0, false, "array_reverse_sort list_reverse_sort"},
	{Scalar, 1, 2, resultBigint, false, "array_length"},
	{Scalar, 1, 2, resultDouble, false, "log"},
	{Scalar, 1, 2, resultInterval, false, "age"},
	{Scalar, 1, 2, resultText, false, "decode ltrim parse_dirname parse_dirpath rtrim trim"},
	{Scalar, 1, 2, resultTexts, false, "parse_path"},
	{Scalar, 1, 2, resultUnknown, false, "json_array_length json_keys json_type timezone"},
	{Scalar, 1, 3, resultArg0, false, "array_sort list_sort"},
	{Scalar, 1, 3, resultDate, false, "make_date"},
	{Scalar, 1, 3, resultText, false, "parse_filename"},
	{Scalar, 1, 3, resultUnknown, false, "array_grade_up generate_series grade_up list_grade_up range switch"},
	{Scalar, 1, 6, resultTimestamp, false, "make_timestamp"},
	{Scalar, 1, 7, resultTimestamptz, false, "make_timestamptz"},
	{Scalar, 0, -1, resultUnknown, false, "add"},
	{Scalar, 1, 2, resultUnknown, false, "subtract"},
	{Scalar, 2, 2, resultUnknown, false, "multiply divide bitstring"},
	{Scalar, 2, 2, resultBool, false, "prefix suffix"},
	{Scalar, 3, 3, resultBool, false, "like_escape not_like_escape ilike_escape not_ilike_escape"},
	{AggregateFunc, 1, 1, resultUnknown, false, "json_group_array json_group_structure"},
	{AggregateFunc, 2, 2, resultUnknown, false, "json_group_object"},
	{Scalar, 2, -1, resultText, false, "concat_ws"},
	{Scalar, 2, -1, resultUnknown, false, "aggregate array_aggr array_aggregate json_merge_patch list_aggr list_aggregate"},
	{Scalar, 2, 2, resultArg0, false, "array_filter array_intersect array_select array_where filter list_filter list_intersect list_select " +
		"list_where nullif"},
	{Scalar, 2, 2, resultBigint, false, "damerau_levenshtein editdist3 hamming instr levenshtein mismatches position strpos"},
	{Scalar, 2, 2, resultBool, false, "array_contains array_has array_has_all array_has_any contains ends_with json_contains list_contains " +
		"list_has list_has_all list_has_any map_contains starts_with struct_contains struct_has"},
	{Scalar, 2, 2, resultCommon, false, "ifnull"},
	{Scalar, 2, 2, resultDouble, false, "atan2 jaccard pow power"},
	{Scalar, 2, 2, resultElem, false, "array_extract list_element list_extract"},
	{Scalar, 2, 2, resultInt, false, "array_indexof array_position bit_position get_bit list_indexof list_position struct_indexof " +
		"struct_position"},
	{Scalar, 2, 2, resultText, false, "left left_grapheme right right_grapheme strftime"},
	{Scalar, 2, 2, resultTexts, false, "split str_split string_split string_to_array"},
	{Scalar, 2, 2, resultTimestamp, false, "strptime try_strptime"},
	{Scalar, 2, 2, resultUnknown, false, "apply array_append array_apply array_cosine_distance array_cosine_similarity array_cross_product " +
		"array_distance array_dot_product array_inner_product array_negative_dot_product " +
		"array_negative_inner_product array_prepend array_push_back array_push_front array_to_string " +
		"array_to_string_comma_default array_transform date_add " +
		"element_at fdiv fmod from_json from_json_strict gcd greatest_common_divisor json_exists json_extract " +
		"json_extract_path json_extract_path_text json_extract_string json_transform " +
		"json_transform_strict json_value lcm least_common_multiple list_append list_apply " +
		"list_cosine_distance list_cosine_similarity list_distance list_dot_product list_inner_product " +
		"list_negative_dot_product list_negative_inner_product list_prepend list_transform map_contains_value " +
		"map_extract map_extract_value nextafter round_even roundbankers struct_extract " +
		"struct_extract_at"},
	{Scalar, 2, 3, resultArg0, false, "array_resize list_resize"},
	{Scalar, 2, 3, resultBool, false, "regexp_full_match regexp_matches"},
	{Scalar, 2, 3, resultDouble, false, "jaro_similarity jaro_winkler_similarity"},
	{Scalar, 2, 3, resultText, false, "substr substring substring_grapheme to_base"},
	{Scalar, 2, 3, resultTexts, false, "regexp_split_to_array str_split_regex string_split_regex"},
	{Scalar, 2, 3, resultUnknown, false, "array_reduce list_reduce reduce time_bucket"},
	{Scalar, 2, 4, resultExtract, false, "regexp_extract"},
	{Scalar, 2, 4, resultTexts, false, "regexp_extract_all"},
	{Scalar, 3, 3, resultBigint, false, "date_diff date_sub datediff datesub"},
	{Scalar, 3, 3, resultText, false, "lpad replace rpad translate"},
	{Scalar, 3, 3, resultTime, false, "make_time"},
	{Scalar, 3, 3, resultUnknown, false, "map_contains_entry set_bit split_part"},
	{Scalar, 3, 4, resultText, false, "bar regexp_replace"},
	{Scalar, 3, 4, resultUnknown, false, "array_slice list_slice"},
	{Scalar, 4, 4, resultUnknown, false, "equi_width_bins"},
	{WindowFunc, 0, 0, resultBigint, false, "dense_rank rank rank_dense row_number"},
	{WindowFunc, 0, 0, resultDouble, false, "cume_dist percent_rank"},
	{WindowFunc, 1, 1, resultArg0, false, "fill first_value last_value"},
	{WindowFunc, 1, 1, resultBigint, false, "ntile"},
	{WindowFunc, 1, 3, resultArg0, false, "lag lead"},
	{WindowFunc, 2, 2, resultArg0, false, "nth_value"},
	{AggregateFunc, 1, 1, resultUnknown, false, "geomean geometric_mean median"},
	{AggregateFunc, 2, 2, resultUnknown, false, "wavg weighted_avg"},
	{Scalar, 1, -1, resultConcat, false, "concat"},
	{Scalar, 1, 1, resultElem, false, "list_any_value list_first list_last list_max list_min"},
	{Scalar, 1, 1, resultBigint, false, "list_count"},
	{Scalar, 1, 1, resultUnknown, false, "epoch_ms list_avg"},
	{Scalar, 1, 2, resultRound, false, "round trunc"},
	{Scalar, 2, 2, resultDatePart, false, "date_part datepart"},
	{Scalar, 2, 2, resultDateTrunc, false, "date_trunc datetrunc"},
	{Scalar, 2, 2, resultMod, false, "mod"},
	{Scalar, 2, 2, resultUnknown, false, "repeat xor"},
}
